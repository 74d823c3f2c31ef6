"""The client's features beyond the README. Arguments: id of an empty dataset."""

import os
import sys

import tilth
from tilth import Client

dataset_id, = sys.argv[1:]
client = Client()
dataset = client.dataset(dataset_id)


def refused(kind, work):
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


os.makedirs("small/sub dir")
for number in range(2000):
    with open(f"small/{'sub dir/' if number % 2 else ''}高 {number:04}#?%41.txt", "wb") as file:
        file.write(b"" if number % 50 == 0 else f"file {number}\n".encode() * (number % 40))
calls = []
send = client.session._send
client.session._send = lambda *args: (calls.append(args[1]), send(*args))[1]
report = dataset.upload("small", prefix="all of them")
assert (report.files, report.stored, report.skipped, report.failed) == (2000, 2000, [], []), report
assert dataset.state()["version"] == 2, "an upload is one version"
assert len(calls) < 20, f"{len(calls)} calls for an upload"
calls.clear()
report = dataset.download("copy")
assert (report.files, report.stored) == (2000, 2000) and len(calls) < 20, (report, len(calls))
for folder, _, names in os.walk("small"):
    for name in names:
        path = os.path.join(folder, name)
        twin = os.path.join("copy", "all of them", os.path.relpath(path, "small"))
        assert open(path, "rb").read() == open(twin, "rb").read(), path
assert sorted(os.listdir("copy")) == ["all of them"], os.listdir("copy")
assert str(dataset.upload("small", prefix="all of them")).endswith("0 stored + 2000 skipped + 0 failed")
assert dataset.state()["version"] == 2, "what is there makes no version"

# A failed file is reported by name, and the others are still transferred.
os.makedirs("mixed")
open("mixed/good.txt", "w").write("good")
open("mixed/bad\\name.txt", "w").write("bad")
os.symlink("good.txt", "mixed/link")
failure = refused(tilth.TransferIncomplete, lambda: dataset.upload("mixed"))
assert [failed.path for failed in failure.report.failed] == ["bad\\name.txt"] and "backslash" in str(failure), failure
assert (failure.report.stored, [left.path for left in failure.report.skipped]) == (1, ["link"])
os.makedirs("again")
open("again/good.txt", "w").write("mine")
failure = refused(tilth.TransferIncomplete, lambda: dataset.download("again", prefix=""))
assert [failed.path for failed in failure.report.failed] == ["good.txt"] and open("again/good.txt").read() == "mine"
assert dataset.download("again", overwrite=True).stored == 1 and open("again/good.txt").read() == "good"

# A large file whose checksum the service is still computing is not sent again.
open("large.bin", "wb").write(os.urandom(64 << 20))
assert dataset.upload("large.bin").stored == 1
version = dataset.state()["version"]
assert str(dataset.upload("large.bin")).endswith("0 stored + 1 skipped + 0 failed")
assert dataset.state()["version"] == version

open("rows.jsonl", "w").write('{"n":1}\nbroken\n{"n":12345678901234567890}\n' + '{"n":2}\n' * 2500)
dataset.upload("rows.jsonl")
unreadable = []
rows = list(dataset.rows("rows.jsonl", unreadable=unreadable))
assert len(rows) == 2502 and [row["row"] for row in unreadable] == [2], (len(rows), unreadable)
problem = refused(tilth.UnreadableRow, lambda: list(dataset.rows("rows.jsonl")))
assert (problem.row, problem.text) == (2, "broken")
result = dataset.query("SELECT n FROM rows WHERE n < 100")
assert len(list(result)) == 2501 and result.tables[0]["unreadable"] == 1
open("many.csv", "w").write("n\n" + "".join(f"{n}\n" for n in range(25_000)))
dataset.upload("many.csv")
assert [row["n"] for row in dataset.query("SELECT n FROM many ORDER BY n")] == list(range(25_000)), "all pages"
assert dataset.query_arrow("SELECT sum(n) AS s FROM many").column("s")[0].as_py() == sum(range(25_000))
wrong = refused(tilth.InvalidRequest, lambda: dataset.query("SELECT nothing FROM many"))
assert wrong.code == "SQL_INVALID" and wrong.params.get("line") == 1 and wrong.request_id, (wrong, wrong.params)
missing = refused(tilth.NotFound, lambda: dataset.rows("none.csv"))
assert missing.code == "FILE_NOT_FOUND"

wrong_key = refused(tilth.Unauthenticated, lambda: next(Client(api_key="tilth_wrong").datasets()))
assert wrong_key.hint and "page API keys" in str(wrong_key)
viewer = Client(api_key=os.environ["VIEWER_KEY"])
assert "role" in str(refused(tilth.Forbidden, lambda: viewer.create_dataset("no")))
cleaning = dataset.clean([{"operatorId": "whitespace-normalizer"}], name="cleans", input={"prefix": "all of them"})
assert cleaning.follow()["counts"]["in"] > 0
assert client.run(cleaning.id).state["status"] == "COMPLETED"
events = [event.name for event in client.api.follow_cleaning_run(cleaning.state["taskId"], cleaning.id)]
assert events[-1] == "end", events
print("done")
