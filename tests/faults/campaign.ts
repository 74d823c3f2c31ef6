// `npm run test:faults [-- --seed N --only NAME --database sqlite|postgres --cases N --case ID --size short|full --jobs
// N --minutes N]`: injects faults and checks everything that was acknowledged to clients. Exits with 1 if an
// acknowledgement was broken.
import { parseArgs } from 'node:util';
import { areAllToolsRequired } from '../support/tools.ts';
import { families } from './families.ts';
import { databaseKinds, type DatabaseKind } from './fault-database.ts';
import type { CampaignSize, FaultFamily } from './family.ts';
import { repeatCommand, runFamily, type FamilyResult, type Violation } from './family-run.ts';

/** The exit code of an interrupted command, as in shells. */
const interrupted = 130;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      database: { type: 'string', multiple: true },
      cases: { type: 'string' },
      case: { type: 'string' },
      size: { type: 'string', default: 'full' },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const seed = wholeNumber('seed', values.seed) ?? Date.now() % 1_000_000;
  const most = wholeNumber('cases', values.cases);
  const jobs = wholeNumber('jobs', values.jobs);
  const minutes = wholeNumber('minutes', values.minutes);
  const size = sizeOf(values.size);
  console.log(`Seed ${seed}, ${size}`);
  const stopped = stoppedBySignal();
  const results: FamilyResult[] = [];
  for (const [family, database] of chosen(values.only, databasesOf(values.database))) {
    if (stopped.aborted) break;
    const result = await runFamily(family, {
      seed,
      size,
      database,
      ...(most === undefined ? {} : { most }),
      ...(values.case === undefined ? {} : { caseId: values.case }),
      ...(jobs === undefined ? {} : { jobs }),
      ...(minutes === undefined ? {} : { minutes }),
      signal: stopped,
      onViolation: printViolation,
      onProgress: printProgress(`${family.name} over ${database}`),
    });
    console.log(sentenceOf(result));
    results.push(result);
  }
  const count = (of: (result: FamilyResult) => number): number => results.reduce((sum, result) => sum + of(result), 0);
  const violations = count((result) => result.violations.length);
  const skipped = results.filter((result) => result.skipped !== undefined);
  console.log(
    `Seed ${seed}: ${count((result) => result.cases)} cases of ${results.length - skipped.length} families, ` +
      `${violations} violations${skipped.length === 0 ? '' : `, skipped: ${skipped.map(({ family, database }) => `${family} over ${database}`).join(', ')}`}`,
  );
  if (stopped.aborted) return interrupted;
  return violations > 0 || (skipped.length > 0 && areAllToolsRequired()) ? 1 : 0;
}

/** An interrupted campaign ends its cases, services and disks first; a second signal ends it at once. */
function stoppedBySignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/**
 * Each family over each database on which it has cases. A database requested for a family without cases on it is
 * ignored.
 */
function chosen(
  names: readonly string[] | undefined,
  databases: readonly DatabaseKind[],
): (readonly [FaultFamily, DatabaseKind])[] {
  for (const name of names ?? [])
    if (!families.some((family) => family.name === name))
      throw new Error(`No family is called ${name}; there are ${families.map((family) => family.name).join(', ')}`);
  return families
    .filter(({ name }) => names === undefined || names.includes(name))
    .flatMap((family) =>
      family.databases
        .filter((database) => databases.includes(database))
        .map((database) => [family, database] as const),
    );
}

function databasesOf(names: readonly string[] = databaseKinds): readonly DatabaseKind[] {
  return names.map((name) => {
    const kind = databaseKinds.find((known) => known === name);
    if (kind === undefined) throw new Error(`--database must be ${databaseKinds.join(' or ')}, not ${name}`);
    return kind;
  });
}

function sentenceOf({ family, database, skipped, cases, missed, violations, seconds }: FamilyResult): string {
  const name = `${family} over ${database}`;
  if (skipped !== undefined) return `${name}: skipped, ${skipped}`;
  const unreached = missed === 0 ? '' : ` (${missed} more never reached their fault)`;
  return `${name}: ${cases} cases${unreached}, ${violations.length} violations, ${Math.round(seconds)} s`;
}

function printViolation(violation: Violation): void {
  console.log(
    `VIOLATION in ${violation.family} over ${violation.database}, seed ${violation.seed}, case ${violation.caseId}`,
  );
  for (const sentence of violation.sentences) console.log(`  ${sentence}`);
  console.log(`  again: ${repeatCommand(violation)}`);
}

function printProgress(family: string): (done: number, total: number) => void {
  const startedAt = performance.now();
  let printedAt = startedAt;
  return (done, total) => {
    const now = performance.now();
    if (now - printedAt < 30_000) return;
    printedAt = now;
    console.log(`  ${family}: ${done} of ${total} after ${Math.round((now - startedAt) / 1000)} s`);
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

function sizeOf(text: string): CampaignSize {
  if (text !== 'short' && text !== 'full') throw new Error(`--size must be short or full, not ${text}`);
  return text;
}
