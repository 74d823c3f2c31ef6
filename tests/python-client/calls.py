"""Uses a running service through a client generated from its OpenAPI document. Arguments: URL, password of admin."""

import sys
import time
from io import BytesIO

from tilth_client import AuthenticatedClient, Client
from tilth_client.api.auth import get_me, login
from tilth_client.api.data_cleaning import (
    create_cleaning_task,
    delete_cleaning_task,
    execute_cleaning_task,
    get_cleaning_run,
    get_ledger_summary,
    list_ledger_entries,
)
from tilth_client.api.datasets import create_dataset, delete_dataset, get_dataset, list_datasets
from tilth_client.api.files import download_file, download_files, list_files
from tilth_client.api.uploads import announce_upload, get_upload, upload_chunk
from tilth_client.models import (
    ChunkForm,
    Execution,
    RunStatus,
    DataManagementError,
    DatasetTypeCode,
    LoginRequest,
    NewCleaningStep,
    NewCleaningTask,
    NewDataset,
    Role,
    UploadAnnouncement,
    Verdict,
)
from tilth_client.types import File

url, password = sys.argv[1:]
content = b'{"text": "  loam   and clay "}\n{"text": "sand"}\n'

token = login.sync(client=Client(url), body=LoginRequest("admin", password)).token
client = AuthenticatedClient(url, token, raise_on_unexpected_status=True)
me = get_me.sync(client=client)
assert (me.username, me.role) == ("admin", Role.ADMIN)

dataset = create_dataset.sync(client=client, body=NewDataset(name="soils", type_=DatasetTypeCode.TEXT))
assert dataset.version == 1
found = list_datasets.sync(client=client, keyword="soil", size=5)
assert (found.total_elements, found.content[0].id) == (1, dataset.id)

upload = announce_upload.sync(
    dataset.id, client=client, body=UploadAnnouncement(total_file_num=1, total_size=len(content))
)
chunk = upload_chunk.sync(
    dataset.id,
    client=client,
    body=ChunkForm(upload, 0, "soils.jsonl", 1, 1, File(BytesIO(content), "soils.jsonl", "application/octet-stream")),
)
assert chunk.upload_completed and chunk.file.file_path == "soils.jsonl"
assert get_upload.sync(dataset.id, upload, client=client).completed_files == 1

[file] = list_files.sync(dataset.id, client=client).content
assert file.file_size == len(content)
assert download_file.sync(dataset.id, file.id, client=client).payload.read() == content
assert download_files.sync(dataset.id, client=client).payload.read(2) == b"PK"

task = create_cleaning_task.sync(
    client=client,
    body=NewCleaningTask(
        name="tidy", source_dataset_id=dataset.id, steps=[NewCleaningStep("whitespace-normalizer")]
    ),
).data
run = execute_cleaning_task.sync(task.id, client=client, body=Execution()).data
deadline = time.monotonic() + 120
while run.status in (RunStatus.QUEUED, RunStatus.RUNNING) and time.monotonic() < deadline:
    time.sleep(0.1)
    run = get_cleaning_run.sync(task.id, run.id, client=client).data
assert (run.status, run.counts.in_, run.counts.kept) == (RunStatus.COMPLETED, 2, 2), run
entries = list_ledger_entries.sync(task.id, run.id, client=client).data.content
assert sorted(entry.verdict for entry in entries) == [Verdict.CHANGED, Verdict.KEPT], entries
[step] = get_ledger_summary.sync(task.id, run.id, client=client).data.steps
assert (step.operator_id, step.in_, step.changed) == ("whitespace-normalizer", 2, 1)

assert delete_cleaning_task.sync_detailed(task.id, client=client).status_code == 204
assert delete_dataset.sync_detailed(dataset.id, client=client).status_code == 204
gone = get_dataset.sync(dataset.id, client=client)
assert isinstance(gone, DataManagementError) and gone.error == "DATASET_NOT_FOUND", gone
print("done")
