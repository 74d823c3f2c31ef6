"""Verdicts of datatrove on JSON Lines from standard input: one object per row with the reason of the drop, or null."""

import json
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

SETS = {
    "gopher-quality": [GopherQualityFilter()],
    "gopher-repetition": [GopherRepetitionFilter()],
    "c4": [C4QualityFilter()],
    # As in the pipeline of the published corpus, after its URL and language filters.
    "fineweb": [
        GopherRepetitionFilter(),
        GopherQualityFilter(),
        C4QualityFilter(filter_no_terminal_punct=False),
        FineWebQualityFilter(),
    ],
}


def verdict(filters, text):
    document = Document(text=text, id="0")
    for rule in filters:
        try:
            result = rule.filter(document)
        except (ZeroDivisionError, ValueError):
            return "nothing to judge"
        kept, reason = result if isinstance(result, tuple) else (result, "dropped")
        if not kept:
            return reason
    return None


for line in sys.stdin:
    text = json.loads(line)["text"]
    print(json.dumps({name: verdict(filters, text) for name, filters in SETS.items()}), flush=True)
