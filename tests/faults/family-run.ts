import { availableParallelism } from 'node:os';
import type { Ending } from '../support/server.ts';
import { missingForDatabase, type DatabaseKind } from './fault-database.ts';
import type { CampaignSize, CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { createRandom } from './random.ts';

export type FamilyRunOptions = {
  seed: number;
  size: CampaignSize;
  database: DatabaseKind;
  /** Run only this many cases, drawn by the seed. */
  most?: number;
  /** Run only the case with this id. */
  caseId?: string;
  /** Cases at once; default: one per core, or as the family allows. */
  jobs?: number;
  /** Duration of a case, where the family lets the caller choose. */
  minutes?: number;
  /** Once aborted, no further case begins; running cases finish. */
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
  /** Cases whose fault never occurred; not counted in `cases`. */
  missed: number;
  violations: readonly Violation[];
  seconds: number;
};

const defaultCaseTimeoutMs = 120_000;

/** Runs the cases of one family and returns their outcomes, or the reason why the family can't run here. */
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

/** The command that repeats one case. */
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
    // A case past its time limit loses its resources, which ends it.
    return await withEnding((t) => Promise.race([one.run(t), late]));
  } catch (error) {
    return { violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the work and then its registered cleanups, last first; both may fail. */
export async function withEnding<T>(work: (t: Ending) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await work({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
