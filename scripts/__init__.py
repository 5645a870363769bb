"""From entries to notebooks, records and pages; run it as ``python -m scripts``."""
