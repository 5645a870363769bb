"""Everything that turns entries into notebooks, records and pages; run it as ``python -m scripts``."""
