"""The verification page: what ran where, what failed and how, what was never run."""

from __future__ import annotations

import html
from collections.abc import Sequence

from scripts.entries import HARDWARE, Entry
from scripts.notebooks import HARDWARE_NAMES
from scripts.pages import SIGNS, Site, legend, matter, output_text
from scripts.proof import Proof, Run, count, proven_everywhere, spans


def verification_page(proofs: Sequence[Proof], site: Site) -> str:
    """The staged Markdown of the page."""
    entries = [proof for proof in proofs if isinstance(proof.document, Entry)]
    proven = [proof for proof in entries if proven_everywhere(proof, "cpu")]
    parts = [
        matter("Verification", "Which samples ran on which release and device, and which did not."),
        "# Verification",
        "Each sample is a notebook for each release and device, and a run on one device counts for"
        f" that device alone. Of {count(len(entries), 'entry')}, {len(proven)} are proven on the"
        " CPU on every release that they show.",
        legend(),
        _table(proofs, site),
        "## Failures {#failures}",
        _failures(proofs),
        "## Never run {#never-run}",
        _never_run(proofs, site),
    ]
    return "\n\n".join(parts) + "\n"


def _table(proofs: Sequence[Proof], site: Site) -> str:
    runs = [run for proof in proofs for run in proof.runs]
    devices = [one for one in HARDWARE if any(run.hardware == one for run in runs)]
    head = "".join(f'<th scope="col">{HARDWARE_NAMES[one]}</th>' for one in devices)
    rows = []
    for minor in site.minors:
        cells = "".join(
            _cell([run for run in runs if run.release == minor and run.hardware == one])
            for one in devices
        )
        rows.append(f'<tr data-release="{minor}"><th scope="row">{minor}</th>{cells}</tr>')
    return (
        '<div class="kb-scroll" tabindex="0" role="region" aria-label="Runs by release and device">'
        '<table class="kb-runs"><thead><tr><th scope="col">Release</th>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(runs: Sequence[Run]) -> str:
    if not runs:
        return "<td>–</td>"
    by_status = {one: [run for run in runs if run.status == one] for one in SIGNS}
    words = ", ".join(
        f'<span class="kb-strip__{status}">{SIGNS[status][0]} {len(found)}</span>'
        for status, found in by_status.items()
        if found
    )
    dates = sorted(str(run.record["finished"])[:10] for run in runs if "finished" in run.record)
    when = f"<small>{dates[0]} to {dates[-1]}</small>" if dates else ""
    if dates and dates[0] == dates[-1]:
        when = f"<small>{dates[0]}</small>"
    return f"<td>{words}{when}</td>"


def _failures(proofs: Sequence[Proof]) -> str:
    parts = []
    for proof in proofs:
        for run in proof.runs:
            if run.status != "failed":
                continue
            name = f"{proof.document.front.title}: {run.release} on {HARDWARE_NAMES[run.hardware]}"
            last = [o for outputs in run.outputs.values() for o in outputs][-1:]
            text = html.escape("".join(output_text(output) for output in last).rstrip())
            parts.append(
                f"<details><summary>✗ {html.escape(name)}: {html.escape(run.record['reason'])}"
                f"</summary><pre>{text or 'It had printed nothing.'}</pre></details>"
            )
    return "\n".join(parts) or "None."


def _never_run(proofs: Sequence[Proof], site: Site) -> str:
    lines = []
    for proof in proofs:
        for hardware in proof.document.front.hardware:
            if found := proof.releases("not-run", hardware):
                where = spans(found, site.minors)
                folder, slug = proof.document.folder, proof.document.slug
                ending = "ipynb" if folder == "guides" else "md"
                lines.append(
                    f"- [{proof.document.front.title}](../{folder}/{slug}.{ending}):"
                    f" {HARDWARE_NAMES[hardware]} on {where}"
                )
    return "\n".join(lines) or "Nothing: every notebook has run."
