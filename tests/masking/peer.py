"""Finds personal numbers with the pattern recognizers of presidio; reads and writes JSON Lines. It needs no model."""

import json
import sys

from presidio_analyzer.predefined_recognizers import (
    CreditCardRecognizer,
    IbanRecognizer,
    PhoneRecognizer,
    UsPassportRecognizer,
    UsSsnRecognizer,
)


def recognizer_of(kind, country):
    """The recognizer of a kind of number, or None."""
    if kind == "card":
        return CreditCardRecognizer()
    if kind == "ssn":
        return UsSsnRecognizer()
    if kind == "iban":
        return IbanRecognizer()
    if kind == "passport":
        return UsPassportRecognizer()
    if kind in ("phone", "local phone"):
        return PhoneRecognizer(supported_regions=(country, "US", "CN"))
    return None


recognizers = {}
for line in sys.stdin:
    row = json.loads(line)
    kind, country = row["kind"], row["country"]
    key = (kind, country if "phone" in kind else "")
    if key not in recognizers:
        recognizers[key] = recognizer_of(kind, country)
    recognizer = recognizers[key]
    if recognizer is None:
        print(json.dumps(None))
        continue
    text = row["text"]
    results = recognizer.analyze(text, recognizer.supported_entities, None)
    # Offsets in UTF-16 units, as JavaScript counts.
    units = lambda at: len(text[:at].encode("utf-16-le")) // 2
    print(json.dumps([{"start": units(found.start), "end": units(found.end)} for found in results]))
