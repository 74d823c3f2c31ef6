import type { OnError } from '../../server/engine/index.ts';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { zstdCompressSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { openDatabase, type DatabaseOptions } from '../../server/storage/database/database.ts';
import { openEngine } from './engine.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';

/**
 * Steps of a killed run: over one sample after the other, or including some over the whole set; `chosen` draws and deals
 * out samples of the whole set, `compared` compares with another dataset; `exported` writes the result in a format of
 * choice, `profile` measures the samples.
 */
export type ChainName = 'plain' | 'staged' | 'chosen' | 'compared' | 'exported' | 'profile';

/** The processing of a run; with `again`, it is killed over the failed samples of an undisturbed run. */
export type KilledRun = { chain: ChainName; onError: OnError; again?: boolean };

/** `failed`: SHA-256 of the failed samples with their bytes. `profile`: the resulting profile. */
export type RunOutcome = {
  status: string;
  counts: Record<string, number>;
  error: string | null;
  failed: string;
  profile?: { figures: { samples: number } };
};

/** Kill this many milliseconds after the process has reported this many changes. */
export type Kill = { changes: number; delayMs: number };

/** The database of a run in this folder: SQLite in the folder, unless given otherwise. */
export type DatabaseOf = (directory: string) => Promise<DatabaseOptions>;

const inFolder: DatabaseOf = async (directory) => ({ file: join(directory, 'tilth.db') });

/** The outcome of an undisturbed run, and the number of changes that it reports. */
export type Undisturbed = {
  folder: string;
  /** Folder of the run's input files. */
  source: string;
  run: KilledRun;
  databaseOf: DatabaseOf;
  changes: number;
  outcome: RunOutcome;
  /** Path and SHA-256 of each file of the result. */
  files: [string, string][];
};

const program = fileURLToPath(builtModule(new URL('engine-process.ts', import.meta.url)));

/**
 * Runs a chain over files of every kind, with samples of every outcome, undisturbed, in a new folder below `folder`.
 */
export async function runUndisturbed(
  folder: string,
  run: KilledRun,
  databaseOf: DatabaseOf = inFolder,
): Promise<Undisturbed> {
  const source = join(folder, 'source');
  await writeSource(source);
  const directory = await mkdtemp(join(folder, 'run-'));
  const database = await databaseOf(directory);
  const args = argumentsOf({ directory, source, run, database });
  const { seen: changes, outcome } = await workUntil(undefined, args);
  if (outcome?.status !== 'COMPLETED') throw new Error(`The undisturbed run: ${outcome?.error ?? 'no outcome'}`);
  return { folder, source, run, databaseOf, changes, outcome, files: await resultIn(directory, database) };
}

/** Runs the same with a new process after each kill, and the last one undisturbed. */
export async function runKilled(
  { folder, source, run, databaseOf }: Undisturbed,
  kills: readonly Kill[],
): Promise<{ outcome: RunOutcome | undefined; files: [string, string][] }> {
  const directory = await mkdtemp(join(folder, 'run-'));
  const database = await databaseOf(directory);
  const args = argumentsOf({ directory, source, run, database });
  for (const kill of kills) await workUntil(kill, args);
  const { outcome } = await workUntil(undefined, args);
  return { outcome, files: await resultIn(directory, database) };
}

function argumentsOf(options: {
  directory: string;
  source: string;
  run: KilledRun;
  database: DatabaseOptions;
}): string[] {
  const { directory, source, run, database } = options;
  const again = run.again === true ? 'again' : 'once';
  return [directory, source, run.chain, run.onError, JSON.stringify(database), again];
}

/** Texts of a table: some make steps fail, some are similar, some have extra blanks. */
function textOf(row: number): string {
  return row % 11 === 7 ? `throw ${row}` : `row  ${row % 30} ${'x'.repeat(row % 40)}`;
}

/** Number of samples in each file of the source. */
export const sourceSamples = {
  'a.txt': 1,
  'big.jsonl': 90,
  'cells.csv': 40,
  'columns.parquet': 30,
  'packed.jsonl.zst': 90,
  'page.html': 1,
};

async function writeSource(folder: string): Promise<void> {
  await mkdir(folder);
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, row) => row);
  const lines = numbers(sourceSamples['big.jsonl']).map((row) =>
    row % 19 === 4 ? '{broken' : `{"n":${row}.0, "text":"${textOf(row)}"}`,
  );
  const cells = numbers(sourceSamples['cells.csv']).map((row) =>
    row % 17 === 3 ? `${row},one,cell,more` : `${row},"${textOf(row)}\n\n\n",1.50`,
  );
  const values = numbers(sourceSamples['columns.parquet']).map(
    (row) => `(${row}, ${row % 13 === 5 ? 'null' : `'${textOf(row)}'`})`,
  );
  await writeFile(join(folder, 'a.txt'), 'one  two');
  await writeFile(join(folder, 'big.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(join(folder, 'packed.jsonl.zst'), zstdCompressSync(`${lines.join('\r\n')}\r\n`));
  await writeFile(join(folder, 'cells.csv'), ['id,text,n', ...cells].join('\r\n'));
  await writeFile(join(folder, 'page.html'), '<html><body><h1>Title</h1><p>some  words</p></body></html>');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const target = join(folder, 'columns.parquet').replaceAll("'", "''");
  await connection.run(`copy (from (values ${values.join(', ')}) t(n, text)) to '${target}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** Runs the process until it is killed or ends by itself; returns its outcome in the latter case. */
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

async function resultIn(directory: string, database: DatabaseOptions): Promise<[string, string][]> {
  const db = await openDatabase(database);
  const bench = await openEngine(db, directory);
  try {
    const files: [string, string][] = [];
    for (const { path, blobId } of bench.outputs()) {
      files.push([
        path,
        createHash('sha256')
          .update(await bench.bytesOf(blobId))
          .digest('hex'),
      ]);
    }
    return files;
  } finally {
    await bench.close();
    await db.close();
  }
}
