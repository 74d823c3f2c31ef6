import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runTask } from '../../../tests/support/area-tasks.ts';
import { toZip } from '../../../tests/contract/archive-bytes.ts';
import { patternBytes } from '../../../tests/support/blobs.ts';
import type { Api } from '../../../tests/support/api.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { runCommandHere } from '../../../tests/support/commands-here.ts';
import type { DatabaseOptions } from '../../storage/database/database.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_COLLECTION_ROOTS: tmpdir() } });
const data = '/data-management/datasets';
const chunkBytes = 1_100_000;

type Verified = { findings: unknown[]; verified: { leftovers: { files: number; bytes: number } } };

/** What `verify` reports of the data of a running service. */
async function verify(dataDir: string, database: DatabaseOptions): Promise<Verified> {
  const url = 'url' in database ? { TILTH_DATABASE_URL: database.url } : {};
  const { stdout, stderr } = await runCommandHere(['verify', '--json'], { TILTH_DATA_DIR: dataDir, ...url });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Verified;
}

/** Bytes of the files that hold content of a mebibyte or more. */
async function fileBytes(dataDir: string): Promise<number> {
  const entries = await readdir(join(dataDir, 'blobs', 'files'), { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function newDataset({ api }: Api, name: string): Promise<string> {
  const { status, body } = await api<{ id: string }>('POST', data, { name, type: 'TEXT' });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** Sends chunks of a file, by their numbers; one more file is announced, so that the upload stays open. */
async function sendParts(
  { api }: Api,
  id: string,
  fileName: string,
  {
    parts,
    order,
    hasArchive = false,
  }: { parts: readonly Uint8Array[]; order: readonly number[]; hasArchive?: boolean },
) {
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const announced = { totalFileNum: 2, totalSize: total + 1, hasArchive };
  const { body: reqId } = await api<string>('POST', `${data}/${id}/files/upload/pre-upload`, announced);
  for (const chunkNo of order) {
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName, totalChunkNum: parts.length, chunkNo };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([Uint8Array.from(parts[chunkNo - 1] ?? [])]), 'blob');
    const { status, body } = await api('POST', `${data}/${id}/files/upload/chunk`, form);
    assert.equal(status, 200, JSON.stringify(body));
  }
}

function sendChunks(service: Api, id: string, path: string, sizes: readonly number[], order: readonly number[]) {
  const parts = sizes.map((size, at) => patternBytes(at + 1, size));
  return sendParts(service, id, path, { parts, order });
}

/** Sends an archive in chunks; its entries replace it. */
async function sendArchive(service: Api, id: string): Promise<void> {
  const zip = toZip([{ name: 'a.bin', content: patternBytes(1, 2 * chunkBytes) }]);
  const parts = [zip.subarray(0, chunkBytes), zip.subarray(chunkBytes, 2 * chunkBytes), zip.subarray(2 * chunkBytes)];
  await sendParts(service, id, 'a.zip', { parts, order: [1, 2, 3], hasArchive: true });
  for (;;) {
    const { body } = await service.api<{ content: { filePath: string }[] }>('GET', `${data}/${id}/files`);
    if (body.content.some(({ filePath }) => filePath === 'a.bin')) return;
    await setTimeout(20);
  }
}

async function send({ api }: Api, id: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const form = new FormData();
  for (const [path, bytes] of Object.entries(files)) form.append('files', new Blob([Uint8Array.from(bytes)]), path);
  const { status, body } = await api('POST', `${data}/${id}/files/upload`, form);
  assert.equal(status, 201, JSON.stringify(body));
}

/** Content that runs read: of a dataset, and of a folder of the machine. */
type Source = { datasetId: string; folder: string };

async function makeSource(service: Api, name: string): Promise<Source> {
  const lines = Buffer.from(`{"text":"Harrows   crumble the heavy clods of clay."}\n`.repeat(50_000));
  const datasetId = await newDataset(service, name);
  await send(service, datasetId, { 'a.jsonl': lines });
  const folder = await mkdtemp(join(tmpdir(), 'tilth-freed-'));
  await writeFile(join(folder, 'a.jsonl'), lines);
  return { datasetId, folder };
}

/** Adds content to a dataset; returns another one if that has it. */
type Way = (service: Api, id: string, source: Source) => Promise<string | void>;

/** Ways in which runs and queries add content to a dataset. */
const waysOfRuns: Readonly<Record<string, Way>> = {
  'a cleaning run': async (service, id, { datasetId }) => {
    await runTask(service, 'data-cleaning', {
      name: `Clean ${id}`,
      sourceDatasetId: datasetId,
      targetDatasetId: id,
      steps: [{ operatorId: 'whitespace-normalizer' }],
    });
  },
  'an export': async (service, id, { datasetId }) => {
    const { targetDatasetId } = await runTask(service, 'data-cleaning', {
      name: `Export ${id}`,
      sourceDatasetId: datasetId,
      targetDatasetName: `Exported ${id}`,
      steps: [{ operatorId: 'whitespace-normalizer' }],
      output: { format: 'JSONL' },
    });
    return targetDatasetId;
  },
  'a saved result of a query': async (service, id) => {
    await send(service, id, { 'a.csv': Buffer.from('text\nclods\n') });
    const sql = `select repeat(text, 1000) as text from a, range(400)`;
    for (;;) {
      const { status, body } = await service.api('POST', `${data}/${id}/query/files`, { sql, filePath: 'all.csv' });
      if (status === 201) return;
      assert.equal(status, 503, JSON.stringify(body));
      await setTimeout(50);
    }
  },
  'a collection run': async (service, id, { folder }) => {
    await runTask(service, 'data-collection', {
      name: `Fetch ${id}`,
      connector: { type: 'local-folder', config: { path: folder } },
      targetDatasetId: id,
    });
  },
};

/** Ways in which people add content to a dataset. */
const ways: Readonly<Record<string, Way>> = {
  'equal chunks': (service, id) => sendChunks(service, id, 'a.bin', [chunkBytes, chunkBytes, 900_000], [1, 2, 3]),
  'chunks in any order': (service, id) =>
    sendChunks(service, id, 'a.bin', [chunkBytes, chunkBytes, 900_000], [3, 1, 2]),
  'unequal chunks': (service, id) => sendChunks(service, id, 'a.bin', [500_000, chunkBytes, 300_000], [2, 1, 3]),
  'one chunk': (service, id) => sendChunks(service, id, 'a.bin', [2 * chunkBytes], [1]),
  'an archive in chunks': sendArchive,
  'an archive in a stream': async ({ api }, id) => {
    const zip = toZip([{ name: 'a.bin', content: patternBytes(1, 2 * chunkBytes) }]);
    const path = `${data}/${id}/files/upload/stream?format=zip`;
    const { status, body } = await api('POST', path, new Uint8Array(zip));
    assert.equal(status, 201, JSON.stringify(body));
  },
  'whole files': (service, id) => send(service, id, { 'a.bin': patternBytes(1, 2 * chunkBytes) }),
};

/** Ways to remove it again. */
const goings: Readonly<Record<string, (service: Api, id: string) => Promise<number>>> = {
  'a purging delete': async ({ api }, id) => {
    const [file] = await filesOf({ api }, id);
    return (await api('DELETE', `${data}/${id}/files/${file}?purge=true`)).status;
  },
  'an erasure': async ({ api }, id) =>
    (await api('POST', `${data}/${id}/purge`, { fileIds: await filesOf({ api }, id) })).status,
  'a pruning': async ({ api }, id) => {
    const [file] = await filesOf({ api }, id);
    await api('DELETE', `${data}/${id}/files/${file}`);
    return (await api('POST', `${data}/${id}/prune`, { keepLast: 1 })).status;
  },
  'the deletion of the dataset': async ({ api }, id) => (await api('DELETE', `${data}/${id}`)).status,
};

/** The files of a dataset, the largest first. */
async function filesOf({ api }: Pick<Api, 'api'>, id: string): Promise<string[]> {
  const { body } = await api<{ content: { id: string; fileSize: number }[] }>('GET', `${data}/${id}/files`);
  return body.content.toSorted((a, b) => b.fileSize - a.fileSize).map((file) => file.id);
}

for (const [going, remove] of Object.entries(goings))
  shared.forAnyDatabase(`${going} frees the bytes, whichever way they came`, async (t, service, database) => {
    const source = await makeSource(service, `Source of ${going}`);
    t.after(() => rm(source.folder, { recursive: true }));
    const before = await fileBytes(service.dataDir);
    const filled = new Map<string, string>();
    for (const [way, add] of Object.entries({ ...ways, ...waysOfRuns })) {
      const id = await newDataset(service, `${going}, ${way}`);
      filled.set(way, (await add(service, id, source)) ?? id);
    }
    assert.ok((await fileBytes(service.dataDir)) > before + (filled.size << 20));
    for (const [way, id] of filled) {
      const status = await remove(service, id);
      assert.ok(status >= 200 && status < 300, `${way}: ${status}`);
    }
    for (const end = Date.now() + 30_000; (await fileBytes(service.dataDir)) !== before; await setTimeout(50))
      assert.ok(Date.now() < end, `${await fileBytes(service.dataDir)} bytes are left of ${before}`);
    const { findings, verified } = await verify(service.dataDir, database);
    assert.deepEqual([findings, verified.leftovers], [[], { files: 0, bytes: 0 }]);
  });
