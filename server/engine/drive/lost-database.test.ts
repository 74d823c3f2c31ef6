import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine, step } from '../../../tests/support/engine.ts';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { startTcpProxy, throughPort } from '../../../tests/support/tcp-proxy.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { isDatabaseUnavailable } from '../../storage/database/unavailable.ts';
import type { Run } from '../../runs/index.ts';

const rows = Array.from({ length: 400 }, (_, row) => `{"text":"row ${row % 90}"}`).join('\n');
const recipe = {
  steps: [step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false }), step('slow-passer')],
  textField: 'text',
};

testWith([postgres], 'a run whose database goes away goes on by itself, and does nothing twice', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const db = await openDatabase({ url: throughPort(url, proxy.port) });
  const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
  const failures: unknown[] = [];
  const logger = { error: (details: object) => void failures.push((details as { err: unknown }).err) };
  const bench = await openEngine(db, directory, { workers: 2, shardBytes: 500, logger });
  t.after(async () => {
    proxy.admit();
    await bench.close();
    await db.close();
    await proxy.close();
    await rm(directory, { recursive: true });
    await drop();
  });
  const file = await bench.put('rows.jsonl', rows);
  const { id } = await bench.execute([file], recipe);
  let changes = 0;
  bench.engine.onChange(id, () => {
    changes += 1;
    // Cut within a checkpoint, after a commit whose reply is lost, and for a while.
    if (changes % 6 === 2) proxy.cutAfter('insert into blobs');
    if (changes % 6 === 4) proxy.cutAfter('; commit');
    if (changes !== 9) return;
    proxy.cut();
    proxy.refuse();
    setTimeout(() => proxy.admit(), 700);
  });
  const finished = await endOf(id);
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  assert.deepEqual(finished.counts, { in: 400, kept: 90, changed: 90, dropped: 310, failed: 0, emitted: 90 });
  assert.equal((await bench.result()).get('rows.jsonl')?.trimEnd().split('\n').length, 90);
  assert.ok(failures.length > 0, 'it was disturbed');
  assert.ok(proxy.cuts.includes('; commit'), 'the answer to a commit was lost');
  const { lines } = await bench.engine.listLogs(id, { page: 0, size: 1000 });
  const warnings = lines.filter(({ level }) => level === 'WARN').map(({ message }) => message);
  assert.ok(warnings.includes('The database was away, so that the run could not go on'), warnings.join('\n'));
  for (const error of failures) assert.ok(isDatabaseUnavailable(error), String(error));

  async function endOf(runId: string): Promise<Run> {
    for (;;) {
      try {
        return await bench.ended(runId);
      } catch (error) {
        assert.ok(isDatabaseUnavailable(error), String(error));
        await pause(50);
      }
    }
  }
});
