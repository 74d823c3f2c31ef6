"""Reads a dataset of many files twice with the Hugging Face Hub clients. Arguments: id of the dataset, number of files."""

import os
import sys
import time

import datasets
from huggingface_hub import snapshot_download

dataset, count = sys.argv[1], int(sys.argv[2])
start = time.monotonic()
folder = snapshot_download(dataset, repo_type="dataset")
assert len(os.listdir(os.path.join(folder, "data"))) == count
loaded = datasets.load_dataset(f"tilth/{dataset}", split="train")
assert sorted(loaded["n"]) == list(range(count)), loaded
print(f"done in {time.monotonic() - start:.1f} s")
