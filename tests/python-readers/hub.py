"""Reads a dataset with the real clients of the Hugging Face Hub. Arguments: id of the dataset. HF_ENDPOINT and HF_TOKEN are
set."""

import os
import sys

import datasets
from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError

[dataset] = sys.argv[1:]
api = HfApi()
assert api.whoami()["name"] == "admin"


def refused(kind, work):
    try:
        work()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was expected")


# By id and by name, at versions. Clients from version 2 on require a namespace; any one will do.
loaded = datasets.load_dataset(f"tilth/{dataset}")
assert sorted(loaded) == ["test", "train"], loaded
assert loaded["train"].num_rows == 3 and loaded["test"].num_rows == 1, loaded
assert loaded["train"][0]["text"] == "three" and loaded["train"].features["n"].dtype == "int64", loaded["train"][0]
for name in (dataset, "Letters", "admin/Letters", f"any/{dataset}"):
    assert api.dataset_info(name).id == dataset, name
old = datasets.load_dataset("admin/Letters", revision="first")
assert old["train"]["text"] == ["one", "two"], old["train"]["text"]
streamed = datasets.load_dataset("admin/Letters", split="test", streaming=True)
assert [row["text"] for row in streamed] == ["four"]

info = api.dataset_info(dataset, files_metadata=True)
assert info.private and len(info.sha) == 40 and info.tags == ["alphabet"], info
sizes = {sibling.rfilename: sibling.size for sibling in info.siblings}
assert sizes["deep/er/notes.txt"] == 5 and "empty.txt" in sizes, sizes
refs = api.list_repo_refs(dataset, repo_type="dataset")
assert [tag.name for tag in refs.tags] == ["first"] and refs.branches[0].target_commit == info.sha, refs
for revision in ("2", "v2", "first", refs.tags[0].target_commit):
    assert api.dataset_info(dataset, revision=revision).sha == refs.tags[0].target_commit, revision

tree = [entry.path for entry in api.list_repo_tree(dataset, repo_type="dataset", recursive=True)]
assert "deep" in tree and "deep/er" in tree and "deep/er/notes.txt" in tree, tree
level = [entry.path for entry in api.list_repo_tree(dataset, repo_type="dataset")]
assert level == ["README.md", "data", "deep", "empty.txt", "space and ü.txt"], level
assert [entry.path for entry in api.list_repo_tree(dataset, "deep", repo_type="dataset")] == ["deep/er"]
found = api.get_paths_info(dataset, ["deep", "README.md", "nothing"], repo_type="dataset")
assert [entry.path for entry in found] == ["deep", "README.md"], found

[expanded] = api.get_paths_info(dataset, "data/test.jsonl", repo_type="dataset", expand=True)
assert expanded.last_commit.oid == info.sha and expanded.last_commit.date == info.last_modified, expanded

files = HfFileSystem()
assert files.modified(f"datasets/tilth/{dataset}/data/test.jsonl") == info.last_modified
assert files.info(f"datasets/tilth/{dataset}/data", expand_info=True)["last_commit"].oid == info.sha
assert files.cat(f"datasets/admin/Letters/space and ü.txt") == b"here"
with files.open(f"datasets/tilth/{dataset}/data/train.jsonl", block_size=8) as file:
    file.seek(15)
    assert file.read(5) == b"three", "a range of a file"
path = hf_hub_download(dataset, "deep/er/notes.txt", repo_type="dataset")
assert open(path).read() == "notes"
folder = snapshot_download(dataset, repo_type="dataset")
assert os.path.getsize(os.path.join(folder, "empty.txt")) == 0

refused(RepositoryNotFoundError, lambda: api.dataset_info("no-such-dataset"))
refused(RevisionNotFoundError, lambda: api.dataset_info(dataset, revision="99"))
refused(EntryNotFoundError, lambda: hf_hub_download(dataset, "nothing.txt", repo_type="dataset"))
assert "is read-only" in refused(HfHubHTTPError, lambda: api.create_repo("x", repo_type="dataset"))
refused(HfHubHTTPError, lambda: HfApi(token="tilth_wrong").dataset_info(dataset))
refused(HfHubHTTPError, lambda: HfApi(token=False).dataset_info(dataset))
print("done")
