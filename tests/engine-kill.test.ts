// A run survives SIGKILL at any moment: it continues at the next start, and its result is that of an undisturbed run.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLongRun, longTests } from './support/long-tests.ts';
import { runKilled, runUndisturbed, sourceSamples, type ChainName } from './support/killed-runs.ts';

type Campaign = readonly [chain: ChainName, shares: readonly number[]];

// Fractions of a run's changes after which the process is killed, one per start; then the run may finish.
const allCampaigns: readonly Campaign[] = [
  ['plain', [0, 0.05]],
  ['plain', [0.95, 0]],
  ['exported', [0.3, 0.1]],
  ['exported', [0.9, 0.95]],
  ['staged', [0.2, 0.05]],
  ['staged', [0.65, 0.1]],
  ['chosen', [0.15, 0.2]],
  ['chosen', [0.5, 0.6]],
  ['compared', [0.05, 0.1]],
  ['compared', [0.4, 0.5]],
];
/** A kill while the result is written, after every other phase of a run. */
const campaigns: readonly Campaign[] = isLongRun ? allCampaigns : [['exported', [0.6]]];

for (const chain of new Set(campaigns.map(([chain]) => chain))) {
  test(`killed anywhere, a run ends as if nothing had happened: ${chain}`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tilth-kill-'));
    t.after(() => rm(folder, { recursive: true }));
    const undisturbed = await runUndisturbed(folder, { chain, onError: chain === 'staged' ? 'KEEP' : 'SET_ASIDE' });
    const all = Object.values(sourceSamples).reduce((sum, count) => sum + count, 0);
    const { in: read, kept = 0, dropped = 0, failed = 0 } = undisturbed.outcome.counts;
    assert.deepEqual([read, kept + dropped + failed], [all, all]);
    if (chain === 'chosen' || chain === 'compared')
      assert.ok(kept > 10 && dropped > 10, 'it keeps some and drops some');
    const paths = undisturbed.files.map(([path]) => path);
    if (chain === 'exported') {
      assert.ok(paths.length > 3 && paths.every((path) => /^data\/train-\d{5}-of-\d{5}\.jsonl\.zst$/.test(path)));
    } else
      assert.deepEqual(
        paths,
        // Documents have no column to write their language into.
        ['a.txt', 'big.jsonl', 'cells.csv', 'columns.parquet', 'packed.jsonl.zst', 'page.html.md'].filter(
          (path) => chain !== 'chosen' || !/\.(?:txt|md)$/.test(path),
        ),
      );
    assert.ok(undisturbed.changes > 20, 'there are moments enough to be killed at');
    for (const [of, shares] of campaigns) {
      if (of !== chain) continue;
      const kills = shares.map((share) => ({ changes: 1 + Math.floor(share * undisturbed.changes), delayMs: 0 }));
      await t.test(
        `after ${kills.map(({ changes }) => changes).join(', then ')} of ${undisturbed.changes}`,
        async () => {
          const { outcome, files } = await runKilled(undisturbed, kills);
          assert.deepEqual(outcome, undisturbed.outcome);
          assert.deepEqual(files, undisturbed.files);
        },
      );
    }
  });
}

longTests(() => {
  test('killed anywhere, a run over failed samples ends as if nothing had happened', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tilth-kill-'));
    t.after(() => rm(folder, { recursive: true }));
    const undisturbed = await runUndisturbed(folder, { chain: 'staged', onError: 'SET_ASIDE', again: true });
    const { counts } = undisturbed.outcome;
    assert.ok((counts['in'] ?? 0) > 10 && (counts['in'] ?? 0) < 40, 'only the failed samples are in it');
    assert.ok((counts['kept'] ?? 0) > 5 && (counts['failed'] ?? 0) > 5, 'some are kept now, some fail again');
    assert.deepEqual(
      undisturbed.files.map(([path]) => path),
      ['big.jsonl'],
      'of the other files nothing is kept',
    );
    const kills = [0.3, 0.05].map((share) => ({ changes: 1 + Math.floor(share * undisturbed.changes), delayMs: 0 }));
    const { outcome, files } = await runKilled(undisturbed, kills);
    assert.deepEqual(outcome, undisturbed.outcome);
    assert.deepEqual(files, undisturbed.files);
  });

  test('killed anywhere, a profile ends as if nothing had happened', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tilth-kill-'));
    t.after(() => rm(folder, { recursive: true }));
    const undisturbed = await runUndisturbed(folder, { chain: 'profile', onError: 'SET_ASIDE' });
    const all = Object.values(sourceSamples).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([undisturbed.outcome.counts['in'], undisturbed.outcome.profile?.figures.samples], [all, all]);
    const kills = [0.3, 0.5].map((share) => ({ changes: 1 + Math.floor(share * undisturbed.changes), delayMs: 0 }));
    const { outcome } = await runKilled(undisturbed, kills);
    assert.deepEqual(outcome, undisturbed.outcome);
  });
});
