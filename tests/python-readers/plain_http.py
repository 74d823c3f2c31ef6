"""Reads files with pandas and pyarrow over plain HTTP with an API key. Arguments: URLs of a JSONL, a CSV and a Parquet
file; key."""

import sys

import fsspec
import pandas
import pyarrow.dataset
import pyarrow.parquet
from fsspec.implementations.http import HTTPFileSystem

lines, table, columns, key = sys.argv[1:]
headers = {"X-API-Key": key}

frame = pandas.read_json(lines, lines=True, storage_options=headers)
assert frame["text"].tolist() == ["three", "three again", "five"], frame
assert pandas.read_csv(table, storage_options=headers)["n"].sum() == 3
bearer = {"Authorization": f"Bearer {key}"}
assert pandas.read_csv(table, storage_options=bearer)["n"].sum() == 3, "the key as a token"
assert pandas.read_parquet(columns, storage_options=headers)["n"].tolist() == list(range(5000))

files = HTTPFileSystem(client_kwargs={"headers": headers})
with files.open(columns, block_size=4096) as file:
    parquet = pyarrow.parquet.ParquetFile(file)
    assert parquet.metadata.num_rows == 5000 and parquet.num_row_groups > 1, parquet.metadata
    # A single row group: read by ranges, not the whole file.
    group = parquet.read_row_group(1, columns=["n"])
    assert group.column("n")[0].as_py() == 1000, group
scanned = pyarrow.dataset.dataset(columns, filesystem=files, format="parquet")
assert scanned.count_rows(filter=pyarrow.dataset.field("n") < 7) == 7
with fsspec.open(lines, client_kwargs={"headers": headers}) as file:
    assert file.readline() == b'{"text":"three","n":3}\n'
print("done")
