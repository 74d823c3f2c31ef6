"""Reads and writes a dataset through the file system tilth://. Arguments: id of a dataset; TILTH_URL and TILTH_API_KEY are
set."""

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import duckdb
import fsspec
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from tilth import Client

[dataset] = sys.argv[1:]
fs = fsspec.filesystem("tilth")
client = Client()


def refused(kind, work):
    try:
        work()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was expected")


odd = "odd names/高 a#?%41[b]*.txt"
for path, data in {odd: b"odd", "empty.bin": b"", "deep/er/a.csv": b"n,t\n1,x\n", "deep/b.csv": b"n,t\n2,y\n"}.items():
    with fs.open(f"{dataset}/{path}", "wb") as file:
        file.write(data)
    assert fs.cat_file(f"tilth://{dataset}/{path}") == data, path
    assert fs.info(f"{dataset}/{path}")["size"] == len(data)
assert fs.ls(f"tilth://{dataset}", detail=False) == [f"{dataset}/{name}" for name in ("deep", "odd names", "empty.bin")]
assert fs.ls(f"{dataset}/deep", detail=False) == [f"{dataset}/deep/er", f"{dataset}/deep/b.csv"]
assert fs.ls(f"{dataset}/deep/b.csv", detail=False) == [f"{dataset}/deep/b.csv"]
assert fs.glob(f"{dataset}/**/*.csv") == [f"{dataset}/deep/b.csv", f"{dataset}/deep/er/a.csv"]
assert fs.glob(f"{dataset}/*/*.csv") == [f"{dataset}/deep/b.csv"]
assert len(fs.find(dataset)) == 4 and fs.find(f"{dataset}/deep/b.csv") == [f"{dataset}/deep/b.csv"]
assert fs.isdir(f"{dataset}/deep/er") and not fs.exists(f"{dataset}/deep/none")
assert fs.du(dataset) == 19 and fs.modified(f"{dataset}/{odd}").tzinfo is not None
refused(FileNotFoundError, lambda: fs.ls(f"{dataset}/nothing"))
refused(FileNotFoundError, lambda: fs.open(f"{dataset}/nothing.txt"))
refused(FileNotFoundError, lambda: fs.ls("no such dataset"))
refused(NotImplementedError, lambda: fs.open(f"{dataset}/empty.bin", "ab"))
refused(FileExistsError, lambda: fs.open(f"{dataset}/empty.bin", "xb"))
assert [each for each in fs.ls("", detail=False) if each == "Meadow"] == ["Meadow"]
assert fs.cat_file("tilth://Meadow/deep/b.csv") == b"n,t\n2,y\n", "by the name of the dataset"

# Only the requested ranges are fetched.
large = os.urandom(3_000_000)
fs.pipe_file(f"{dataset}/large.bin", large)
with fs.open(f"{dataset}/large.bin", block_size=1000) as file:
    file.seek(2_000_000)
    assert file.read(10) == large[2_000_000:2_000_010]
    assert file.seek(-5, 2) == 2_999_995 and file.read() == large[-5:]
assert fs.cat_file(f"{dataset}/large.bin", start=-7) == large[-7:]
assert fs.cat_file(f"{dataset}/large.bin", start=5, end=9) == large[5:9]
again = pickle.loads(pickle.dumps(fs))
assert again.cat_file(f"{dataset}/large.bin") == large
fs.get_file(f"{dataset}/large.bin", "local.bin")
assert open("local.bin", "rb").read() == large and not [name for name in os.listdir(".") if name.endswith(".part")]
fs.put_file("local.bin", f"{dataset}/put.bin")
fs.cp_file(f"{dataset}/put.bin", f"{dataset}/copied.bin")
# Checksums of larger files are computed shortly after their commit.
while None in [fs._file(f"{dataset}/{name}.bin")["sha256"] for name in ("copied", "large")]:
    fs.invalidate_cache()
assert fs.ukey(f"{dataset}/copied.bin") == fs.ukey(f"{dataset}/large.bin")
with fsspec.open(f"filecache::tilth://{dataset}/put.bin", filecache={"cache_storage": "cache"}) as file:
    assert file.read() == large

# A block that ends with an exception stores nothing; nobody sees a half-written file.
def half():
    with fs.open(f"{dataset}/half.txt", "wb") as file:
        file.write(b"half")
        assert not fs.exists(f"{dataset}/half.txt")
        raise RuntimeError("stop")


refused(RuntimeError, half)
fs.open(f"{dataset}/half.txt", "wb").write(b"never closed")
assert not fs.exists(f"{dataset}/half.txt")
with fs.transaction:
    with fs.open(f"{dataset}/both.txt", "wb") as file:
        file.write(b"both")
    assert not fs.exists(f"{dataset}/both.txt")
assert fs.cat_file(f"{dataset}/both.txt") == b"both"

# Versions never change, by number and by name; an open file stays at its version.
before = client.dataset(dataset).state()["version"]
client.api.name_dataset_version(dataset, {"name": "as sown"})
with fs.open(f"{dataset}/deep/b.csv") as held:
    with fs.open(f"{dataset}/deep/b.csv", "wb") as file:
        file.write(b"n,t\n3,z and more\n")
    assert held.read() == b"n,t\n2,y\n"
assert fs.cat_file(f"{dataset}/deep/b.csv") == b"n,t\n3,z and more\n"
for place in (f"{dataset}@{before}", f"{dataset}@as sown", "Meadow@as sown"):
    assert fs.cat_file(f"tilth://{place}/deep/b.csv") == b"n,t\n2,y\n", place
    assert f"{place}/deep/b.csv" in fs.find(place)
refused(PermissionError, lambda: fs.open(f"{dataset}@{before}/new.txt", "wb"))
refused(FileNotFoundError, lambda: fs.ls(f"{dataset}@no such version"))
commit = f"{dataset.replace('-', '')}{before:08x}"
for revision in (f"v{before}", f"V{before}", f"0{before}", commit):
    assert fs.cat_file(f"tilth://{dataset}@{revision}/deep/b.csv") == b"n,t\n2,y\n", revision
assert fs.cat_file(f"tilth://{dataset}@main/deep/b.csv") == b"n,t\n3,z and more\n"
for revision in ("0" * 40, "Main", "refs", "v99999"):
    refused(FileNotFoundError, lambda: fs.info(f"{dataset}@{revision}/deep/b.csv"))

frame = pandas.DataFrame({"n": range(10_000), "text": [f"row {n}" for n in range(10_000)]})
frame.to_parquet(f"tilth://{dataset}/tables/a.parquet", row_group_size=1000)
frame.to_csv(f"tilth://{dataset}/tables.csv", index=False)
assert pandas.read_parquet(f"tilth://{dataset}/tables/a.parquet", columns=["n"])["n"].sum() == frame["n"].sum()
assert pandas.read_csv(f"tilth://{dataset}/tables.csv").equals(frame)
pyarrow.parquet.write_table(pyarrow.table({"n": [10_000], "text": ["last"]}), f"{dataset}/tables/b.parquet", filesystem=fs)
scanned = pyarrow.dataset.dataset(f"{dataset}/tables", filesystem=fs, format="parquet")
assert scanned.count_rows() == 10_001 and scanned.count_rows(filter=pyarrow.dataset.field("n") < 7) == 7
pyarrow.dataset.write_dataset(scanned, f"{dataset}/written", filesystem=fs, format="parquet")
assert pyarrow.dataset.dataset(f"{dataset}/written", filesystem=fs).count_rows() == 10_001
duckdb.register_filesystem(fs)
found = duckdb.sql(f"SELECT count(*), max(n) FROM 'tilth://{dataset}/tables/*.parquet'").fetchall()
assert found == [(10_001, 10_000)], found
with ThreadPoolExecutor(8) as pool:
    parts = list(pool.map(lambda at: fs.cat_file(f"{dataset}/large.bin", start=at, end=at + 1000), range(0, 3_000_000, 100_000)))
assert parts == [large[at : at + 1000] for at in range(0, 3_000_000, 100_000)]

fs.rm(f"{dataset}/deep/b.csv")
assert not fs.exists(f"{dataset}/deep/b.csv") and fs.exists(f"{dataset}@{before}/deep/b.csv")
refused(IsADirectoryError, lambda: fs.rm(f"{dataset}/deep"))
fs.rm(f"{dataset}/deep", recursive=True)
assert not fs.exists(f"{dataset}/deep")
refused(IsADirectoryError, lambda: fs.rm(dataset, recursive=True))
print("done")
