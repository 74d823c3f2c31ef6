import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { toZip } from '../../../../tests/contract/archive-bytes.ts';
import { longTests } from '../../../../tests/support/long-tests.ts';
import type { Api } from '../../../../tests/support/api.ts';
import { startProcess } from '../../../../tests/support/server.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Version = {
  version: number;
  filesAdded: number;
  filesEnded: number;
  fileCount: number;
  message: string | null;
  uploadId: string | null;
  open: boolean;
};
type Listed = { id: string; filePath: string; fileSize: number };

/** One dataset and what a client does to it. */
async function openDataset(service: Api) {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', { name: 'v', type: 'TEXT' });
  const path = `/data-management/datasets/${body.id}`;
  const announce = async (options: object = {}): Promise<string> => {
    const announcement = { totalFileNum: 100, totalSize: 10_000_000, ...options };
    return (await service.api<string>('POST', `${path}/files/upload/pre-upload`, announcement)).body;
  };
  let fileNo = 0;
  const send = async (reqId: string, fileName: string, content: string | Buffer = fileName): Promise<void> => {
    const form = new FormData();
    fileNo += 1;
    const fields = { reqId, fileNo, fileName, totalChunkNum: 1, chunkNo: 1 };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), 'blob');
    const { status, body } = await service.api('POST', `${path}/files/upload/chunk`, form);
    assert.equal(status, 200, JSON.stringify(body));
  };
  const versions = async (): Promise<Version[]> =>
    (await service.api<{ content: Version[] }>('GET', `${path}/versions?sort=version,asc&size=1000`)).body.content;
  const list = async (version?: number): Promise<Listed[]> => {
    const query = version === undefined ? '' : `&version=${version}`;
    return (await service.api<{ content: Listed[] }>('GET', `${path}/files?size=1000${query}`)).body.content;
  };
  return {
    id: body.id,
    path,
    announce,
    send,
    versions,
    list,
    paths: async (version?: number) => (await list(version)).map((file) => file.filePath),
    /** Number, added files and whether it is open, of each version after the first. */
    async story(): Promise<[number, number, boolean][]> {
      return (await versions()).slice(1).map(({ version, filesAdded, open }) => [version, filesAdded, open]);
    },
  };
}

shared.forAnyDatabase('an upload is one version, open until its last file', async (_t, service) => {
  const { announce, send, versions, story } = await openDataset(service);
  const reqId = await announce({ totalFileNum: 30 });
  await send(reqId, '0.txt');
  await Promise.all(Array.from({ length: 28 }, (_, index) => send(reqId, `${index + 1}.txt`)));
  assert.deepEqual(await story(), [[2, 29, true]]);
  await send(reqId, '29.txt');
  assert.deepEqual(await story(), [[2, 30, false]]);
  const [, version] = await versions();
  assert.deepEqual([version?.uploadId, version?.fileCount, version?.filesEnded], [reqId, 30, 0]);
});

shared.forAnyDatabase('whatever is committed, named or read as a whole closes the open version', async (t, service) => {
  const { id, path, announce, send, story, list, paths, versions } = await openDataset(service);
  const reqId = await announce();
  let name = 0;
  /** Sends another file of the upload; returns the number of the version that it is added to. */
  const goOn = async (): Promise<number> => {
    await send(reqId, `${String((name += 1)).padStart(2, '0')}.txt`);
    return (await versions()).at(-1)?.version ?? 0;
  };
  assert.equal(await goOn(), 2);

  await t.test('not its own files, nor lists, file downloads and statistics', async () => {
    const [file] = await list();
    const reads = [path, `${path}/files?version=2`, `${path}/statistics`, `${path}/versions`];
    for (const read of [...reads, `${path}/files/${file?.id}/download?version=2`])
      assert.equal((await service.api('GET', read)).status, 200, read);
    assert.equal(await goOn(), 2);
  });

  await t.test('a deleted file ends in a version of its own', async () => {
    const [file] = await list();
    assert.equal((await service.api('DELETE', `${path}/files/${file?.id}`)).status, 204);
    assert.deepEqual(await story(), [
      [2, 2, false],
      [3, 0, false],
    ]);
    assert.equal(await goOn(), 4);
    assert.equal(await goOn(), 4);
    assert.deepEqual(await paths(2), ['01.txt', '02.txt']);
  });

  await t.test('a ZIP', async () => {
    const zip = await service.api<Buffer>('GET', `${path}/files/download`);
    assert.equal(zip.status, 200);
    assert.equal(await goOn(), 5);
    const again = await service.api<Buffer>('GET', `${path}/files/download?version=4`);
    assert.ok(Buffer.from(zip.body).equals(Buffer.from(again.body)));
    assert.equal(again.headers.get('etag'), zip.headers.get('etag'));
    assert.equal(await goOn(), 5, 'a closed version can be read without closing another');
  });

  await t.test('a name', async () => {
    const named = await service.api<Version>('POST', `${path}/versions`, { name: 'first' });
    assert.deepEqual([named.body.version, named.body.open], [5, false]);
    assert.equal(await goOn(), 6);
  });

  await t.test('a run that reads it', async () => {
    const steps = [{ operatorId: 'whitespace-normalizer' }];
    const task = await service.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'c',
      sourceDatasetId: id,
      steps,
    });
    assert.equal(task.status, 201, JSON.stringify(task.body));
    assert.equal(await goOn(), 6, 'a task that is not executed reads nothing');
    const run = await service.api('POST', `/data-cleaning/tasks/${task.body.data.id}/execute`, {});
    assert.equal(run.status, 200, JSON.stringify(run.body));
    assert.equal(await goOn(), 7);
  });

  await t.test('another upload, in turn', async () => {
    const other = await announce();
    await send(other, 'other.txt');
    assert.equal(await goOn(), 9);
    assert.equal((await service.api('DELETE', `${path}/files/upload/${other}`)).status, 204);
    assert.equal(await goOn(), 9, 'an upload closes its own version only');
  });

  await t.test('its own end', async () => {
    assert.equal((await service.api('DELETE', `${path}/files/upload/${reqId}`)).status, 204);
    assert.deepEqual((await story()).at(-1)?.slice(2), [false]);
  });
});

shared.forAnyDatabase('a path that comes twice in an upload keeps its first content', async (_t, service) => {
  const { path, announce, send, list, story } = await openDataset(service);
  const reqId = await announce();
  await Promise.all(['one', 'three'].map((content) => send(reqId, 'a.txt', content)));
  await send(reqId, 'b.txt');
  assert.deepEqual(await story(), [
    [2, 1, false],
    [3, 2, true],
  ]);
  const contents = new Set<string>();
  for (const version of [2, 3]) {
    const file = (await list(version)).find(({ filePath }) => filePath === 'a.txt');
    const answer = await service.api<Buffer>('GET', `${path}/files/${file?.id}/download?version=${version}`);
    contents.add(Buffer.from(answer.body).toString());
  }
  assert.deepEqual(contents, new Set(['one', 'three']));
});

shared.forAnyDatabase('archives bring their entries into the version of their upload', async (_t, service) => {
  const { path, announce, send, versions, paths } = await openDataset(service);
  const zip = (...names: string[]) => toZip(names.map((name) => ({ name, content: `in ${name}` })));
  const unpacked = async (reqId: string, count: number): Promise<void> => {
    for (;;) {
      const { body } = await service.api<{ archives: { status: string }[] }>('GET', `${path}/files/upload/${reqId}`);
      if (body.archives.filter(({ status }) => status === 'UNPACKED').length === count) return;
      await setTimeout(10);
    }
  };
  const reqId = await announce({ hasArchive: true, totalFileNum: 3 });
  await send(reqId, 'one.zip', zip('1.txt', '2.txt'));
  await unpacked(reqId, 1);
  assert.deepEqual(
    (await versions()).map(({ open }) => open),
    [false, true],
  );
  await send(reqId, 'two.zip', zip('3.txt'));
  await send(reqId, 'plain.txt');
  await unpacked(reqId, 2);
  assert.deepEqual(await paths(), ['1.txt', '2.txt', '3.txt', 'plain.txt']);
  const [, version, ...others] = await versions();
  assert.deepEqual([version?.filesAdded, version?.filesEnded, version?.open, others], [4, 0, false, []]);

  // An entry that replaces a file of the same upload starts another version: that file was acknowledged.
  const next = await announce({ hasArchive: true, totalFileNum: 2 });
  await send(next, 'mine.txt', 'mine');
  await send(next, 'x.zip', zip('mine.txt', 'y.txt'));
  await unpacked(next, 1);
  const [before, after] = (await versions()).slice(2);
  assert.deepEqual([before?.open, after?.open, after?.message], [false, false, 'Unpacked x.zip']);
  assert.deepEqual(await paths(before?.version), ['1.txt', '2.txt', '3.txt', 'mine.txt', 'plain.txt', 'x.zip']);
});

longTests(() => {
  test('an open version outlives the process, and goes on after it', async (t) => {
    const service = await startProcess(t);
    const { announce, send, story, paths } = await openDataset(service);
    const reqId = await announce();
    await send(reqId, '1.txt');
    const acknowledged = new Set<string>(['1.txt']);
    const calls = Array.from({ length: 40 }, (_, index) =>
      send(reqId, `many/${index}.txt`).then(
        () => acknowledged.add(`many/${index}.txt`),
        () => undefined,
      ),
    );
    await calls[0];
    await service.kill('SIGKILL');
    await Promise.all(calls);
    await service.restart();
    await send(reqId, 'last.txt');
    acknowledged.add('last.txt');
    const there = await paths();
    assert.deepEqual(new Set(there.filter((name) => acknowledged.has(name))), acknowledged);
    assert.deepEqual(await story(), [[2, there.length, true]]);
  });
});
