import assert from 'node:assert/strict';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { createPostgresDatabase } from '../../tests/support/postgres.ts';
import { startApp, type RunningApp } from '../../tests/support/server.ts';
import { openDatabase, type DatabaseOptions } from '../storage/database/database.ts';
import type { StoredDataFinding } from '../stored-data.ts';

type Command = { code: number | null; stdout: string };

async function command(args: readonly string[], dataDir: string, url: string | undefined): Promise<Command> {
  const settings = { TILTH_DATA_DIR: dataDir, ...(url === undefined ? {} : { TILTH_DATABASE_URL: url }) };
  return runCommandHere(args, settings);
}

/** Executes a run over two rows that are not JSON and a file that is not text; returns its path and id. */
async function failedRun({ api }: RunningApp): Promise<{ path: string; runId: string }> {
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'in',
    type: 'TEXT',
  });
  const form = new FormData();
  form.append('files', new Blob(['{"text":"good"}\n{"text":"cut\n{broken\n']), 'rows.jsonl');
  form.append('files', new Blob([Uint8Array.from([0x50, 0x4b, 0, 0xff])]), 'odd.zip');
  assert.equal((await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form)).status, 201);
  const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'clean',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const tasks = `/data-cleaning/tasks/${task.data.id}`;
  const { body: run } = await api<{ data: { id: string } }>('POST', `${tasks}/execute`);
  const path = `${tasks}/runs/${run.data.id}`;
  for (let tries = 0; tries < 600; tries += 1) {
    const { body } = await api<{ data: { status: string; counts: { failed: number } } }>('GET', path);
    if (body.data.status === 'COMPLETED') {
      assert.equal(body.data.counts.failed, 3);
      return { path, runId: run.data.id };
    }
    await setTimeout(100);
  }
  throw new Error('the run does not end');
}

async function failedSamples({ api }: RunningApp, path: string): Promise<string> {
  const { status, body } = await api<Buffer | string>('GET', `${path}/failed`);
  assert.equal(status, 200);
  return Buffer.from(body).toString();
}

forAnyDatabase(
  'failed samples that were set aside are in backups, and verify names their run',
  async (t, _open, options) => {
    const root = await mkdtemp(join(tmpdir(), 'tilth-set-aside-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    const dataDir = join(root, 'data');
    const url = 'url' in options ? options.url : undefined;
    const app = await startApp(t, { dataDir, ...(url === undefined ? { isPrepared: true } : { database: { url } }) });
    const { path, runId } = await failedRun(app);
    const before = await failedSamples(app, path);
    assert.deepEqual(
      before
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { raw: string }).raw),
      [Buffer.from([0x50, 0x4b, 0, 0xff]).toString('base64'), '{"text":"cut', '{broken'],
    );

    assert.equal((await command(['backup', join(root, 'backups')], dataDir, url)).code, 0);
    let target: string | undefined;
    if (url !== undefined) {
      const empty = await createPostgresDatabase();
      t.after(empty.drop);
      target = empty.url;
    }
    const folder = join(root, 'restored');
    assert.equal((await command(['restore', join(root, 'backups')], folder, target)).code, 0);
    await copyFile(join(dataDir, 'secrets.key'), join(folder, 'secrets.key'));
    const restored = await startApp(t, {
      dataDir: folder,
      ...(target === undefined ? {} : { database: { url: target } }),
    });
    assert.equal(await failedSamples(restored, path), before);
    await restored.close();

    await app.close();
    const where: DatabaseOptions = url === undefined ? { file: join(dataDir, 'tilth.db') } : { url };
    const db = await openDatabase(where);
    t.after(() => db.close());
    const shard = await db.read.selectFrom('shards').selectAll().where('set_aside', 'is not', null).executeTakeFirst();
    const { blobId, files } = JSON.parse(shard?.set_aside ?? '') as { blobId: string; files: string[] };
    for (const id of [blobId, files[0] ?? '', shard?.ledger_blob_id ?? '']) {
      const blob = await db.read.selectFrom('blobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const place = blob.kind === 'pack' ? 'packs' : join('files', blob.object_id.slice(-2));
      const file = await open(join(dataDir, 'blobs', place, blob.object_id), 'r+');
      await file.write(Buffer.from('#'), 0, 1, blob.object_offset + 1);
      await file.close();
    }
    const source = await db.read.selectFrom('run_datasets').selectAll().where('role', '=', 'SOURCE').executeTakeFirst();
    const ofDataset = ['verify', '--dataset', source?.dataset_id ?? '', '--json'];
    const [everything, ofSource] = [
      await command(['verify', '--json'], dataDir, url),
      await command(ofDataset, dataDir, url),
    ];
    assert.deepEqual([everything.code, ofSource.code], [1, 1]);
    const { stdout } = everything;
    const { findings } = JSON.parse(stdout) as { findings: StoredDataFinding[] };
    const named = (found: readonly StoredDataFinding[]): Set<string> =>
      new Set(found.map((finding) => (finding.kind === 'content' ? finding.blobId : finding.kind)));
    assert.deepEqual(
      named((JSON.parse(ofSource.stdout) as { findings: StoredDataFinding[] }).findings),
      named(findings),
      'what runs hold belongs to the datasets that they read',
    );
    const owners = findings.map((finding) =>
      finding.kind === 'content'
        ? [
            finding.blobId,
            finding.runs.map((run) => [run.runId, run.holds]),
            finding.files.map(({ filePath }) => filePath),
          ]
        : [],
    );
    assert.deepEqual(
      new Set(owners.map((owner) => JSON.stringify(owner))),
      new Set(
        [
          [blobId, [[runId, 'SET_ASIDE']], []],
          [files[0], [[runId, 'SET_ASIDE']], ['odd.zip']],
          [shard?.ledger_blob_id, [[runId, 'LEDGER']], []],
        ].map((owner) => JSON.stringify(owner)),
      ),
    );
    assert.match(
      (await command(['verify'], dataDir, url)).stdout,
      new RegExp(`failed samples that were set aside of run ${runId}\\n`),
    );

    // Without the run's reference, deleting the file would erase the samples that were set aside.
    const { refs } = await db.read
      .selectFrom('blobs')
      .select('refs')
      .where('id', '=', files[0] ?? '')
      .executeTakeFirstOrThrow();
    for (const id of [blobId, files[0] ?? '']) {
      await db.write((tx) =>
        tx
          .updateTable('blobs')
          .set(({ eb }) => ({ refs: eb('refs', '-', 1) }))
          .where('id', '=', id)
          .execute(),
      );
    }
    for (const asked of [['verify', '--json'], ofDataset]) {
      const { findings: found } = JSON.parse((await command(asked, dataDir, url)).stdout) as {
        findings: StoredDataFinding[];
      };
      assert.deepEqual(
        new Set(
          found.flatMap((one) => (one.kind === 'references' ? [`${one.blobId} ${one.stored} ${one.counted}`] : [])),
        ),
        new Set([`${blobId} 0 1`, `${files[0]} ${refs - 1} ${refs}`]),
      );
    }
  },
);
