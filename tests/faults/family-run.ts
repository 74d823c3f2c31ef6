import { availableParallelism } from 'node:os';
import type { Ending } from '../support/server.ts';
import { missingForDatabase, type DatabaseKind } from './fault-database.ts';
import type { CampaignSize, CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { createRandom } from './random.ts';

export type FamilyRunOptions = {
  seed: number;
  size: CampaignSize;
  database: DatabaseKind;
  /** Only so many cases, drawn by the seed. */
  most?: number;
  /** Only the case of this id. */
  caseId?: string;
  /** Cases at once; default: as many as the machine has cores, or as the family allows. */
  jobs?: number;
  /** How long a case goes on, where the family lets one choose. */
  minutes?: number;
  /** No further case begins once it is aborted; what has begun comes to its end. */
  signal?: AbortSignal;
  onViolation?(violation: Violation): void;
  onProgress?(done: number, total: number): void;
};

export type Violation = {
  family: string;
  seed: number;
  size: CampaignSize;
  database: DatabaseKind;
  caseId: string;
  sentences: readonly string[];
};

export type FamilyResult = {
  family: string;
  database: DatabaseKind;
  /** Why nothing ran. */
  skipped?: string;
  cases: number;
  /** Cases whose fault never came about; not among `cases`. */
  missed: number;
  violations: readonly Violation[];
  seconds: number;
};

const defaultCaseTimeoutMs = 120_000;

/** Runs the cases of one family and gives what came of them; a family that can't run here says why. */
export async function runFamily(family: FaultFamily, options: FamilyRunOptions): Promise<FamilyResult> {
  const startedAt = performance.now();
  const { database } = options;
  const result = { family: family.name, database, cases: 0, missed: 0, violations: [] as Violation[] };
  const skipped = family.missing() ?? missingForDatabase(database);
  if (skipped !== undefined) return { ...result, skipped, seconds: 0 };
  await withEnding(async (t) => {
    const { seed, size, caseId, minutes } = options;
    const wanted = {
      seed,
      size,
      database,
      ...(caseId === undefined ? {} : { caseId }),
      ...(minutes === undefined ? {} : { minutes }),
    };
    const cases = select(await family.prepare(t, wanted), options);
    let done = 0;
    const queue = cases.values();
    const work = async (): Promise<void> => {
      for (const one of queue) {
        if (options.signal?.aborted === true) return;
        const { violations, missed } = await runCase(one, family.caseTimeoutMs ?? defaultCaseTimeoutMs);
        if (missed === true && violations.length === 0) result.missed += 1;
        else result.cases += 1;
        if (violations.length > 0) {
          const violation = { family: family.name, seed, size, database, caseId: one.id, sentences: violations };
          result.violations.push(violation);
          options.onViolation?.(violation);
        }
        options.onProgress?.(++done, cases.length);
      }
    };
    const jobs = Math.min(options.jobs ?? availableParallelism(), family.jobs ?? Infinity, cases.length);
    await Promise.all(Array.from({ length: jobs }, work));
  });
  return { ...result, seconds: (performance.now() - startedAt) / 1000 };
}

/** The command that runs one case again. */
export function repeatCommand({ family, seed, size, database, caseId }: Violation): string {
  return `npm run test:faults -- --only ${family} --database ${database} --seed ${seed} --size ${size} --case ${caseId}`;
}

function select(
  cases: readonly FaultCase[],
  { seed, most, caseId }: Pick<FamilyRunOptions, 'seed' | 'most' | 'caseId'>,
): readonly FaultCase[] {
  if (caseId !== undefined) {
    const found = cases.filter(({ id }) => id === caseId);
    if (found.length === 0)
      throw new Error(`No case is called ${caseId}; there is ${cases[0]?.id ?? 'none'} and so on`);
    return found;
  }
  if (most === undefined || most >= cases.length) return cases;
  const drawn = new Set(createRandom(seed, 'drawn').shuffle(cases).slice(0, most));
  return cases.filter((one) => drawn.has(one));
}

async function runCase(one: FaultCase, timeoutMs: number): Promise<CaseOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CaseOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ violations: [`did not end within ${timeoutMs} ms`] }), timeoutMs);
  });
  try {
    // A case that is late loses what it has opened, and with it comes to its end.
    return await withEnding((t) => Promise.race([one.run(t), late]));
  } catch (error) {
    return { violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the work and then what it has registered, last first; both may fail. */
export async function withEnding<T>(work: (t: Ending) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await work({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
