"""Reads each format with each library through the Hub's file system. Arguments: id of the dataset, number of small files."""

import sys

import datasets
import duckdb
import pandas
import polars
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
from huggingface_hub import HfFileSystem

dataset, count = sys.argv[1], int(sys.argv[2])
files = HfFileSystem()
duckdb.register_filesystem(files)
root = f"datasets/tilth/{dataset}"
hf = f"hf://{root}"
wanted = [{"n": 1, "text": "one"}, {"n": 2, "text": "zwei, ü"}, {"n": 3, "text": "三"}]

readers = {
    "csv": {
        "pandas": lambda: pandas.read_csv(f"{hf}/t.csv").to_dict("records"),
        "pyarrow": lambda: pyarrow.csv.read_csv(files.open(f"{root}/t.csv")).to_pylist(),
        "polars": lambda: polars.read_csv(files.open(f"{root}/t.csv")).to_dicts(),
        "duckdb": lambda: duckdb.sql(f"select * from '{hf}/t.csv' order by n").to_arrow_table().to_pylist(),
        "datasets": lambda: list(datasets.load_dataset(f"tilth/{dataset}", data_files="t.csv", split="train")),
    },
    "jsonl": {
        "pandas": lambda: pandas.read_json(f"{hf}/t.jsonl", lines=True).to_dict("records"),
        "pyarrow": lambda: pyarrow.json.read_json(files.open(f"{root}/t.jsonl")).to_pylist(),
        "polars": lambda: polars.read_ndjson(files.open(f"{root}/t.jsonl")).to_dicts(),
        "duckdb": lambda: duckdb.sql(f"select * from '{hf}/t.jsonl' order by n").to_arrow_table().to_pylist(),
        "datasets": lambda: list(datasets.load_dataset(f"tilth/{dataset}", data_files="t.jsonl", split="train")),
    },
    "parquet": {
        "pandas": lambda: pandas.read_parquet(f"{hf}/t.parquet").to_dict("records"),
        "pyarrow": lambda: pyarrow.parquet.read_table(f"{root}/t.parquet", filesystem=files).to_pylist(),
        "polars": lambda: polars.read_parquet(files.open(f"{root}/t.parquet")).to_dicts(),
        "duckdb": lambda: duckdb.sql(f"select * from '{hf}/t.parquet' order by n").to_arrow_table().to_pylist(),
        "datasets": lambda: list(datasets.load_dataset(f"tilth/{dataset}", data_files="t.parquet", split="train")),
    },
}
for kind, libraries in readers.items():
    for library, read in libraries.items():
        assert read() == wanted, f"{library} {kind}: {read()}"

# Each opened file costs calls for its metadata and its bytes: together within the allowance of the version.
sum_of_all = f"select count(*) as files, sum(n)::bigint as total from '{hf}/many/*.jsonl'"
[total] = duckdb.sql(sum_of_all).to_arrow_table().to_pylist()
assert total == {"files": count, "total": count * (count - 1) // 2}, total
print("done")
