// A run survives SIGKILL at any moment: the next start goes on, and the result is that of an undisturbed run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../server/storage/database/database.ts';
import { openEngine } from './support/engine.ts';

type Outcome = { status: string; counts: Record<string, number>; error: string | null };

const program = fileURLToPath(new URL('support/engine-process.ts', import.meta.url));

/** Runs the process until it has told of so many changes, then kills it; gives its outcome when it ended before that. */
async function workFor(changes: number, args: readonly string[]): Promise<{ seen: number; outcome?: Outcome }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let seen = 0;
  const end: { outcome?: Outcome } = {};
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) end.outcome = JSON.parse(line) as Outcome;
    else seen += 1;
    if (seen === changes) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { seen, ...end };
}

async function resultIn(directory: string): Promise<[string, string][]> {
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  const bench = await openEngine(db, directory);
  try {
    return [...(await bench.result())];
  } finally {
    await bench.close();
    await db.close();
  }
}

test('killed anywhere, a run ends as if nothing had happened', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-kill-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = join(folder, 'content.jsonl');
  const rows = Array.from({ length: 160 }, (_, row) =>
    row % 19 === 4 ? '{broken' : `{"n":${row}.0, "text":"row  ${row} ${'x'.repeat(row % 40)}"}`,
  );
  await writeFile(content, `${rows.join('\n')}\n`);

  const undisturbed = await mkdtemp(join(folder, 'run-'));
  const { seen: total, outcome } = await workFor(Infinity, [undisturbed, content]);
  assert.equal(outcome?.status, 'COMPLETED', outcome?.error ?? '');
  assert.equal(outcome.counts['in'], 161);
  const expected = await resultIn(undisturbed);
  assert.equal(expected.length, 2);

  assert.ok(total > 20, 'there are moments enough to be killed at');

  // Changes after which the process is killed, one start after the other; then it may end.
  const campaigns = [[1], [2, 1, 1], [Math.floor(total / 3)], [Math.floor(total / 2), 3], [total - 4, 1]];
  for (const campaign of campaigns) {
    await t.test(`killed after ${campaign.join(', then ')} of ${total} changes`, async () => {
      const directory = await mkdtemp(join(folder, 'run-'));
      for (const changes of campaign) await workFor(changes, [directory, content]);
      const { outcome: last } = await workFor(Infinity, [directory, content]);
      assert.deepEqual(last, outcome);
      assert.deepEqual(await resultIn(directory), expected);
    });
  }
});
