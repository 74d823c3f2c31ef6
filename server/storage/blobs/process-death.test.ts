import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JournalEntry } from '../../../tests/support/blob-journal.ts';
import { openTestStore, patternBytes, readBlob } from '../../../tests/support/blobs.ts';
import { builtModule } from '../../kernel/built-modules.ts';
import { openDatabase } from '../database/database.ts';
import { verifyBlobs } from './verification/blob-verification.ts';

const child = fileURLToPath(builtModule(new URL('../../../tests/support/blob-journal.ts', import.meta.url)));

/** Runs the writing process, kills it after `afterEntries` acknowledgements, and returns all entries that it reported. */
async function runUntilKilled(parameters: string[], afterEntries: number): Promise<JournalEntry[]> {
  const writer = spawn(process.execPath, [child, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  const entries: JournalEntry[] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    entries.push(JSON.parse(line) as JournalEntry);
    if (entries.length === afterEntries) writer.kill('SIGKILL');
  }
  assert.ok(entries.length >= afterEntries, 'the process ended before it was killed');
  return entries;
}

test('a process that is killed in the middle loses nothing that it acknowledged, and leaves nothing', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tilth-blobs-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const databaseFile = join(root, 'database.sqlite');
  const directory = join(root, 'blobs');
  const journal: JournalEntry[] = [];
  for (const [round, afterEntries] of [3, 17, 40, 75].entries()) {
    journal.push(...(await runUntilKilled([databaseFile, directory, String(round + 1)], afterEntries)));
  }

  const db = await openDatabase({ file: databaseFile });
  const { store } = await openTestStore(t, { db, directory });
  t.after(() => db.close());
  await store.sweep();
  const problems = [];
  for await (const problem of verifyBlobs({ directory, db })) problems.push(problem);
  assert.deepEqual(problems, []);

  const dropped = new Set<string>();
  for (const entry of journal) {
    if (entry.kind !== 'file') continue;
    const whole = Buffer.concat(entry.parts.map(({ seed, sizeBytes }) => patternBytes(seed, sizeBytes)));
    assert.ok((await readBlob(store, entry.id)).equals(whole), `file ${entry.id}`);
    dropped.add(entry.id);
  }
  const uploads = journal.filter((entry) => entry.kind === 'assembly');
  for (const { id, totalChunks, sizeBytes } of uploads) {
    const chunks = journal.filter((entry) => entry.kind === 'chunk').filter((entry) => entry.id === id);
    const assembly = await store.findAssembly(id);
    if (assembly === undefined) {
      assert.ok(dropped.has(id), `upload ${id} is gone`);
      continue;
    }
    const missing = assembly.missingChunks(100);
    for (const { chunkNo } of chunks) assert.ok(!missing.includes(chunkNo), `chunk ${chunkNo} of ${id}`);
    for (const { chunkNo, seed } of chunks) {
      const again = await assembly.openChunk(chunkNo);
      await again.write(patternBytes(seed, sizeBytes));
      assert.equal(await again.finish(), 'repeated');
    }
    for (const chunkNo of missing) {
      const writer = await assembly.openChunk(chunkNo, sizeBytes);
      await writer.write(patternBytes(chunkNo, sizeBytes));
      await writer.finish();
    }
    const staged = await assembly.seal();
    assert.equal(staged.sizeBytes, totalChunks * sizeBytes);
    await store.settle([staged]);
  }

  await store.dropAssemblies(uploads.map(({ id }) => id));
  await store.sweep();
  assert.deepEqual(await readdir(join(directory, 'beside')), []);
  const known = await db.read.selectFrom('blobs').select('object_id').where('kind', '=', 'file').execute();
  const files = await readdir(join(directory, 'files'), { recursive: true, withFileTypes: true });
  assert.deepEqual(
    new Set(files.filter((entry) => entry.isFile()).map(({ name }) => name)),
    new Set(known.map((row) => row.object_id)),
  );
});
