import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../server/storage/database/database.ts';
import { openEngine } from './engine.ts';

/** Steps of a run that is killed: over one sample after the other, or with some over the whole set between them. */
export type ChainName = 'plain' | 'staged';

export type RunOutcome = { status: string; counts: Record<string, number>; error: string | null };

/** Killed so many milliseconds after the process has told of so many changes. */
export type Kill = { changes: number; delayMs: number };

/** What a run comes to that nobody disturbs, and how many changes it tells of. */
export type Undisturbed = {
  folder: string;
  content: string;
  chain: ChainName;
  changes: number;
  outcome: RunOutcome;
  files: [string, string][];
};

const program = fileURLToPath(new URL('engine-process.ts', import.meta.url));

/** Runs a chain over a table with every kind of fate, undisturbed, in a new folder below `folder`. */
export async function runUndisturbed(folder: string, chain: ChainName): Promise<Undisturbed> {
  const content = join(folder, 'content.jsonl');
  const rows = Array.from({ length: 160 }, (_, row) =>
    row % 19 === 4 ? '{broken' : `{"n":${row}.0, "text":"row  ${row % 50} ${'x'.repeat(row % 40)}"}`,
  );
  await writeFile(content, `${rows.join('\n')}\n`);
  const directory = await mkdtemp(join(folder, 'run-'));
  const { seen: changes, outcome } = await workUntil(undefined, [directory, content, chain]);
  if (outcome?.status !== 'COMPLETED') throw new Error(`The undisturbed run: ${outcome?.error ?? 'no outcome'}`);
  return { folder, content, chain, changes, outcome, files: await resultIn(directory) };
}

/** Runs the same with a new process after each kill, and the last one undisturbed. */
export async function runKilled(
  { folder, content, chain }: Undisturbed,
  kills: readonly Kill[],
): Promise<{ outcome: RunOutcome | undefined; files: [string, string][] }> {
  const directory = await mkdtemp(join(folder, 'run-'));
  const args = [directory, content, chain];
  for (const kill of kills) await workUntil(kill, args);
  const { outcome } = await workUntil(undefined, args);
  return { outcome, files: await resultIn(directory) };
}

/** Runs the process until it is killed, or ends by itself; gives its outcome in that case. */
async function workUntil(
  kill: Kill | undefined,
  args: readonly string[],
): Promise<{ seen: number; outcome?: RunOutcome }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let seen = 0;
  const end: { outcome?: RunOutcome } = {};
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) end.outcome = JSON.parse(line) as RunOutcome;
    else seen += 1;
    if (seen === kill?.changes) setTimeout(() => child.kill('SIGKILL'), kill.delayMs);
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
