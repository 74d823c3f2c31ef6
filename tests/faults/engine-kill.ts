import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { runKilled, runUndisturbed, type Kill, type KilledRun, type Undisturbed } from '../support/killed-runs.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds } from './fault-database.ts';
import { createRandom, type Random } from './random.ts';

/**
 * Over files of every kind: the steps, and the handling of failed samples; the short campaign runs only the first two.
 */
const runs: readonly KilledRun[] = [
  { chain: 'plain', onError: 'SET_ASIDE' },
  { chain: 'staged', onError: 'SET_ASIDE', again: true },
  { chain: 'plain', onError: 'KEEP' },
  { chain: 'staged', onError: 'DROP' },
  { chain: 'plain', onError: 'DROP' },
  { chain: 'staged', onError: 'KEEP' },
];
const casesOf = { short: { runs: 2, each: 1 }, full: { runs: 6, each: 10 } } as const;

/**
 * Cleaning runs killed once or several times at moments drawn by the seed: the result must equal that of an undisturbed
 * run.
 */
export const engineKill: FaultFamily = {
  name: 'engine-kill',
  databases: databaseKinds,
  // The first case of each chain also waits for the undisturbed run.
  caseTimeoutMs: 300_000,
  missing: () => undefined,
  async prepare(t, { seed, size, database }) {
    const databaseOf = async (directory: string): Promise<DatabaseOptions> =>
      (await createFaultDatabase(t, database)).optionsFor(directory);
    const cases: FaultCase[] = [];
    for (const killed of runs.slice(0, casesOf[size].runs)) {
      const { chain, onError, again = false } = killed;
      const name = `${chain}-${onError.toLowerCase()}${again ? '-again' : ''}`;
      const folder = await mkdtemp(join(tmpdir(), 'tilth-engine-kill-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      let undisturbed: Promise<Undisturbed> | undefined;
      for (let number = 0; number < casesOf[size].each; number += 1) {
        cases.push({
          id: `${name}-${number}`,
          async run() {
            undisturbed ??= runUndisturbed(folder, killed, databaseOf);
            const expected = await undisturbed;
            const kills = killsOf(createRandom(seed, name, number), expected.changes);
            const { outcome, files } = await runKilled(expected, kills);
            const moments = kills.map(({ changes, delayMs }) => `${changes} changes and ${delayMs} ms`).join(', then ');
            const violations: string[] = [];
            if (JSON.stringify(outcome) !== JSON.stringify(expected.outcome)) {
              violations.push(`killed after ${moments}, the run ended as ${JSON.stringify(outcome)}`);
            }
            if (JSON.stringify(files) !== JSON.stringify(expected.files)) {
              violations.push(`killed after ${moments}, the run wrote other bytes`);
            }
            return { violations };
          },
        });
      }
    }
    return cases;
  },
};

/** One kill anywhere in the run, mostly followed by up to two soon after the next start. */
function killsOf(random: Random, changes: number): Kill[] {
  const kills = [{ changes: random.integer(1, changes), delayMs: random.integer(0, 8) }];
  for (let more = random.integer(0, 2); more > 0; more -= 1) {
    kills.push({ changes: random.integer(1, 5), delayMs: random.integer(0, 8) });
  }
  return kills;
}
