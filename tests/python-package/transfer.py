"""One transfer, and the resources it needed. Arguments: upload DATASET FOLDER, download DATASET FOLDER, or task DATASET."""

import json
import resource
import sys

import tilth

what, dataset_id, *places = sys.argv[1:]
client = tilth.Client()
dataset = client.dataset(dataset_id)
# KiB on Linux, bytes on macOS.
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
try:
    if what == "task":
        steps = [{"operatorId": "whitespace-normalizer"}]
        client.api.create_cleaning_task({"name": "once", "sourceDatasetId": dataset_id, "steps": steps})
        result = {}
    else:
        report = dataset.upload(*places) if what == "upload" else dataset.download(*places)
        result = {"files": report.files, "stored": report.stored, "skipped": len(report.skipped), "failed": []}
except tilth.TransferIncomplete as problem:
    result = {"failed": [list(failed) for failed in problem.report.failed], "stored": problem.report.stored}
except tilth.TilthError as problem:
    result = {"error": type(problem).__name__, "message": str(problem)}
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before
print(json.dumps({**result, "grownBytes": grown}))
