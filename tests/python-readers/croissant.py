"""Validates a Croissant document by the reference implementation of MLCommons, and reads its records. Arguments: its path."""

import sys

import mlcroissant

[path] = sys.argv[1:]
dataset = mlcroissant.Dataset(jsonld=path)
issues = dataset.metadata.issues
assert not issues.errors, issues.report()
assert not issues.warnings, issues.report()
metadata = dataset.metadata
assert (metadata.name, metadata.license, str(metadata.version)) == ("Soils", ["CC-BY-4.0"], "2.0.0"), metadata
sets = {records.name: records for records in metadata.record_sets}
types = {field.name: str(field.data_types[0]) for field in sets["train.jsonl"].fields}
assert types["n"].endswith("Integer") and types["text"].endswith("Text") and types["ok"].endswith("Boolean"), types
assert sorted(sets) == ["data/n.parquet", "test.csv", "train.jsonl"], sets
print("done")
