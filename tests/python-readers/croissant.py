"""Validates a Croissant document with the reference implementation of MLCommons, and reads all its record sets.

Arguments: its path, and the folder with the files that it describes. Writes the records into `records.json` there.
"""

import json
import sys

import mlcroissant

[path, folder] = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    document = json.load(file)
mapping = {described["@id"]: f"{folder}/{described['name']}" for described in document["distribution"]}
dataset = mlcroissant.Dataset(jsonld=path, mapping=mapping)
issues = dataset.metadata.issues
assert not issues.errors, issues.report()
assert not issues.warnings, issues.report()
metadata = dataset.metadata
assert (metadata.name, metadata.license, str(metadata.version)) == ("Soils", ["CC-BY-4.0"], "2.0.0"), metadata
sets = {records.name: records for records in metadata.record_sets}
types = {field.name: str(field.data_types[0]) for field in sets["train.jsonl"].fields if not field.sub_fields}
assert types["n"].endswith("Integer") and types["text"].endswith("Text") and types["ok"].endswith("Boolean"), types

names = {}


def learn(fields):
    for field in fields:
        names[field["@id"]] = field["name"]
        learn(field.get("subField", []))


def named(value):
    if isinstance(value, dict):
        return {names[key]: named(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [named(inner) for inner in value]
    if isinstance(value, bytes):
        return value.decode()
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


for records in document["recordSet"]:
    learn(records["field"])
read = {records["name"]: [named(one) for one in dataset.records(records["@id"])] for records in document["recordSet"]}
with open(f"{folder}/records.json", "w", encoding="utf-8") as file:
    json.dump(read, file)
print("done")
