import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { sized } from '../../tests/support/long-tests.ts';
import { createPostgresDatabase } from '../../tests/support/postgres.ts';
import { startApp, type RunningApp } from '../../tests/support/server.ts';

type Task = { data: { status: string; lastRunId: string; counts: { in: number; kept: number } } };

const rows = sized(12_000, 60_000);

async function succeed(args: readonly string[], dataDir: string, url: string | undefined): Promise<void> {
  const { code, stderr } = await runCommandHere(args, {
    TILTH_DATA_DIR: dataDir,
    ...(url === undefined ? {} : { TILTH_DATABASE_URL: url }),
  });
  assert.equal(code, 0, stderr);
}

/** Returns the id of a task whose run was in progress when its service ended. */
async function interruptedTask(app: RunningApp): Promise<string> {
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'many rows',
    type: 'TEXT',
  });
  const lines = Array.from({ length: rows }, (_, row) => `{"text":"row  ${row} ${'word '.repeat(20)}"}\n`).join('');
  const form = new FormData();
  form.append('files', new Blob([lines]), 'rows.jsonl');
  await app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'clean',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  await app.api('POST', `/data-cleaning/tasks/${task.data.id}/execute`);
  await app.close();
  return task.data.id;
}

forAnyDatabase('a run that was under way goes on in the restored folder', async (t, _open, options) => {
  const root = await mkdtemp(join(tmpdir(), 'tilth-restored-runs-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const url = 'url' in options ? options.url : undefined;
  const dataDir = join(root, 'data');
  const app = await startApp(t, { dataDir, ...(url === undefined ? { isPrepared: true } : { database: { url } }) });
  const taskId = await interruptedTask(app);
  await succeed(['backup', join(root, 'backups')], dataDir, url);
  const targets: (string | undefined)[] = [undefined];
  if (url !== undefined) {
    const empty = await createPostgresDatabase();
    t.after(empty.drop);
    targets.push(empty.url);
  }
  for (const [index, target] of targets.entries()) {
    const folder = join(root, `restored-${index}`);
    await succeed(['restore', join(root, 'backups')], folder, target);
    await copyFile(join(dataDir, 'secrets.key'), join(folder, 'secrets.key'));
    const restored = await startApp(t, {
      dataDir: folder,
      ...(target === undefined ? {} : { database: { url: target } }),
    });
    const read = async () => (await restored.api<Task>('GET', `/data-cleaning/tasks/${taskId}`)).body.data;
    for (let tries = 0; tries < 600 && (await read()).status === 'RUNNING'; tries += 1) await setTimeout(200);
    const { status, counts } = await read();
    assert.deepEqual([status, counts.in, counts.kept], ['COMPLETED', rows, rows]);
    await restored.close();
  }
});
