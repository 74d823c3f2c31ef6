// Services that share a PostgreSQL but have separate data folders. A file that one of them received is not reported lost
// because another one lacks it.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StoredDataFinding, VerifiedData } from '../server/stored-data.ts';
import { findingText } from '../server/commands/verify-report.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { createPostgresDatabase, postgres } from './support/postgres.ts';
import { runCommand, startApp, testSecretsKey, type RunningApp } from './support/server.ts';
import { testWith } from './support/tools.ts';

type Run = { id: string; status: string; error: string | null; counts: { in: number; kept: number } };

async function runOf(app: RunningApp, taskId: string): Promise<Run> {
  const path = `/data-cleaning/tasks/${taskId}`;
  const { status, body } = await app.api<{ data: Run }>('POST', `${path}/execute`, {});
  assert.equal(status, 200, JSON.stringify(body));
  for (;;) {
    const { data } = (await app.api<{ data: Run }>('GET', `${path}/runs/${body.data.id}`)).body;
    if (data.status !== 'QUEUED' && data.status !== 'RUNNING') return data;
    await setTimeout(50);
  }
}

testWith(
  [postgres],
  'bytes of another data folder are told from lost ones, and no run empties its target',
  async (t) => {
    const { url, drop } = await createPostgresDatabase();
    const first = await startApp({ after: t.after.bind(t) }, { database: { url } });
    const second = await startApp({ after: t.after.bind(t) }, { database: { url } });
    t.after(drop);
    const { body: dataset } = await first.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'rows',
      type: 'TEXT',
    });
    const form = new FormData();
    form.append('files', new Blob(['{"text":"one row"}\n{"text":"two rows"}\n']), 'rows.jsonl');
    const files = `/data-management/datasets/${dataset.id}/files`;
    const [file] = (await first.api<{ id: string }[]>('POST', `${files}/upload`, form)).body;

    const download = await second.api<{ error: string; message: string }>('GET', `${files}/${file?.id}/download`);
    assert.equal(download.status, 503);
    assert.match(download.body.message, /not in the data folder of this service/);
    const headers = { authorization: `Bearer ${first.token}` };
    assert.equal((await fetch(`${first.url}/api/v1${files}/${file?.id}/download`, { headers })).status, 200);

    const task = await first.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'clean',
      sourceDatasetId: dataset.id,
      steps: [{ operatorId: 'whitespace-normalizer' }],
    });
    const good = await runOf(first, task.body.data.id);
    assert.deepEqual([good.status, good.counts.in, good.counts.kept], ['COMPLETED', 2, 2]);
    const { targetDatasetId } = (
      await first.api<{ data: { targetDatasetId: string } }>('GET', `/data-cleaning/tasks/${task.body.data.id}`)
    ).body.data;
    const target = async () =>
      (await first.api<{ version: number; fileCount: number }>('GET', `/data-management/datasets/${targetDatasetId}`))
        .body;
    const before = await target();

    const bad = await runOf(second, task.body.data.id);
    assert.equal(bad.status, 'FAILED');
    assert.match(bad.error ?? '', /not in the data folder of this service/);
    const after = await target();
    assert.deepEqual([after.version, after.fileCount], [before.version, before.fileCount]);
  },
);

type Report = { findings: StoredDataFinding[]; verified: VerifiedData; problems: number };

testWith(
  [postgres],
  'verify names the data folder that received bytes, and tells of those that are lost in its own',
  async (t) => {
    const { url, drop } = await createPostgresDatabase();
    const settings = { TILTH_SECRETS_KEY: testSecretsKey };
    const folders = await Promise.all(
      ['first', 'second'].map((name) => mkdtemp(join(tmpdir(), `tilth-shared-${name}-`))),
    );
    const [firstDir = '', secondDir = ''] = folders;
    const start = (dataDir: string) => startApp({ after: t.after.bind(t) }, { database: { url }, settings, dataDir });
    const [first, second] = [await start(firstDir), await start(secondDir)];
    t.after(drop);
    t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
    const verify = async (dataDir: string): Promise<Report & { code: number | null }> => {
      const command = runCommand(['verify', '--json'], { TILTH_DATA_DIR: dataDir, TILTH_DATABASE_URL: url });
      const code = await command.exited;
      assert.equal(command.output.stderr, '');
      return { code, ...(JSON.parse(command.output.stdout) as Report) };
    };
    const placeOf = async (dataDir: string) => (await readFile(join(dataDir, 'place'), 'utf8')).trim();

    const { body: dataset } = await first.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'shared',
      type: 'TEXT',
    });
    const files = `/data-management/datasets/${dataset.id}/files`;
    const put = async (app: RunningApp, name: string, sizeBytes: number): Promise<void> => {
      const form = new FormData();
      form.append('files', new Blob(['x'.repeat(sizeBytes)]), name);
      assert.equal((await app.api('POST', `${files}/upload`, form)).status, 201);
    };
    await put(first, 'small.txt', 100);
    await put(first, 'large.txt', 2_000_000);
    await put(second, 'other.txt', 3_000_000);
    const announced = { totalFileNum: 1, totalSize: 20_000, chunkSize: 10_000 };
    const { body: reqId } = await second.api<string>('POST', `${files}/upload/pre-upload`, announced);
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName: 'half.txt', totalChunkNum: 2, chunkNo: 1 };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob(['y'.repeat(10_000)]), 'blob');
    assert.equal((await second.api('POST', `${files}/upload/chunk`, form)).status, 200);

    const [inFirst, inSecond] = [await verify(firstDir), await verify(secondDir)];
    assert.deepEqual([inFirst.code, inFirst.findings, inFirst.verified.blobs], [0, [], 2]);
    assert.deepEqual(inFirst.verified.elsewhere, [
      { place: await placeOf(secondDir), blobs: 1, chunks: 1, bytes: 3_010_000 },
    ]);
    assert.deepEqual([inSecond.code, inSecond.findings, inSecond.verified.blobs], [0, [], 1]);
    assert.deepEqual(inSecond.verified.elsewhere, [
      { place: await placeOf(firstDir), blobs: 2, chunks: 0, bytes: 2_000_100 },
    ]);

    // A file missing in the folder that received it is lost, regardless of other folders.
    await first.close();
    for (const entry of await readdir(join(firstDir, 'blobs/files'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await rm(join(entry.parentPath, entry.name));
    const lost = await verify(firstDir);
    assert.equal(lost.code, 1);
    assert.deepEqual(
      lost.findings.map((finding) => finding.kind === 'content' && [finding.problem, finding.otherFolders]),
      [['missing', 0]],
    );
    const again = await start(firstDir);
    const { body: list } = await again.api<{ content: { id: string; filePath: string }[] }>('GET', `${files}?size=10`);
    const download = (path: string) =>
      again.api<{ message: string }>(
        'GET',
        `${files}/${list.content.find(({ filePath }) => filePath === path)?.id}/download`,
      );
    const [own, other] = [await download('large.txt'), await download('other.txt')];
    assert.equal(own.status, 500);
    assert.equal(other.status, 503);
    assert.match(other.body.message, /not in the data folder of this service/);

    // If no row records which folder received it, it may be in either.
    const db = await openDatabase({ url });
    t.after(() => db.close());
    await db.write((tx) => tx.updateTable('blobs').set({ folder_no: null }).execute());
    const unsure = await verify(secondDir);
    const missing = unsure.findings.filter((finding) => finding.kind === 'content');
    assert.deepEqual(
      missing.map(({ problem, otherFolders }) => [problem, otherFolders]),
      [
        ['missing', 1],
        ['missing', 1],
      ],
    );
    assert.match(findingText(missing[0] as StoredDataFinding), /may be in one of the 1 other data folders/);
  },
);
