// SIGKILL in the middle of a run whose step calls a model: replies already received are not paid for again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { completion, send, startProvider } from './fakes/model-provider.ts';
import { sized } from './support/long-tests.ts';
import { builtModule } from '../server/kernel/built-modules.ts';

type Outcome = {
  status: string;
  error: string | null;
  counts: Record<string, number>;
  rows: string;
  totals: { calls: number; unreportedCalls: number };
};

const program = fileURLToPath(builtModule(new URL('support/model-run-process.ts', import.meta.url)));
const samples = sized(24, 60);
/** Number of calls after which each process is killed, counted from its start. */
const kills = [7, 15, 12].slice(0, sized(1, 3));
/** Calls that may have been in flight in a killed process. */
const underWay = 8;

test('a killed run that asks a model goes on without paying twice', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-model-kill-'));
  t.after(() => rm(directory, { recursive: true }));
  let onCall = (): void => {};
  const provider = await startProvider(t, (request, response) => {
    onCall();
    const asked = /<text>\n([^]*)\n<\/text>/.exec(request.body.messages?.[1]?.content ?? '')?.[1] ?? '';
    setTimeout(() => send(response, 200, completion(asked.toUpperCase())), 20);
  });

  async function work(killAfter: number | undefined): Promise<string> {
    const child = spawn(process.execPath, [program, directory, provider.baseUrl, String(samples)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let calls = 0;
    onCall = () => {
      calls += 1;
      if (calls === killAfter) child.kill('SIGKILL');
    };
    const written = await text(child.stdout);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return written;
  }

  for (const killAfter of kills) assert.equal(await work(killAfter), '', 'it was killed before its end');
  const outcome = JSON.parse(await work(undefined)) as Outcome;
  assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
  const { in: read, changed, kept, dropped, failed } = outcome.counts;
  assert.deepEqual([read, changed, kept, dropped, failed], [samples, samples, samples, 0, 0]);
  const rows = Array.from({ length: samples }, (_, row) => `{"id":${row},"text":"SAMPLE ${row}"}\n`);
  assert.equal(outcome.rows, rows.join(''));
  const { calls, unreportedCalls } = outcome.totals;
  assert.equal(calls - unreportedCalls, samples, 'each sample has one reply that was paid for');
  assert.ok(unreportedCalls > 0, 'the kills came while calls were under way');
  assert.ok(unreportedCalls <= kills.length * underWay, `${unreportedCalls} calls were lost`);
  assert.ok(provider.requests.length <= calls, 'no call is missing in the usage');
});
