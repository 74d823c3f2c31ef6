import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess, type Ending } from '../support/server.ts';
import { createCaller, storedOf, type Caller, type CallerOptions } from './caller.ts';
import { createClientJournal, type ClientJournal, type Stored } from './client-journal.ts';
import { createFaultDatabase, type DatabaseKind, type FaultDatabase } from './fault-database.ts';
import { createFailingCalls, type FailingCalls } from './failing-calls.ts';
import type { Random } from './random.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { isSuccess } from './steps.ts';

/** A running service over its own folder, with faults injected into its system calls. */
export type Bench = {
  service: ServiceProcess;
  dataDir: string;
  database: FaultDatabase;
  calls: FailingCalls;
  newCaller(options?: Partial<CallerOptions>): Caller;
};

/**
 * Benches for consecutive cases: starting the service is the largest cost, so a case reuses the service of the previous
 * one, with a new dataset.
 */
export type Workbench = {
  take(): Promise<Bench>;
  /** Returns a bench, to be reused if nothing was wrong. */
  give(bench: Bench, options: { isSound: boolean }): Promise<void>;
};

/** Number of cases after which a folder is replaced. */
const casesPerFolder = 50;

export async function createWorkbench(
  t: Ending,
  options: { library: string; database: DatabaseKind },
): Promise<Workbench> {
  const { library } = options;
  const { root, copyTo, token } = await createSetUpFolder(t, options.database);
  const running = new Set<Bench>();
  const idle: { bench: Bench; uses: number }[] = [];
  const uses = new Map<Bench, number>();
  let number = 0;
  t.after(async () => {
    await Promise.all([...running].map(({ service }) => service.kill()));
    for (const { database } of running) await database.remove();
  });

  async function open(): Promise<Bench> {
    number += 1;
    const directory = join(root, String(number));
    const dataDir = join(directory, 'data');
    await mkdir(directory);
    const database = await copyTo(dataDir);
    const calls = createFailingCalls(t, { library, root: dataDir, controlFile: join(directory, 'control') });
    const service = await startService({
      ...serviceSettings,
      ...calls.environment,
      ...database.environment,
      TILTH_DATA_DIR: dataDir,
    });
    const bench: Bench = {
      service,
      dataDir,
      database,
      calls,
      newCaller: (options = {}) => createCaller({ url: service.url, token, ...options }),
    };
    running.add(bench);
    return bench;
  }

  return {
    async take() {
      const found = idle.pop();
      const bench = found?.bench ?? (await open());
      uses.set(bench, (found?.uses ?? 0) + 1);
      return bench;
    },
    async give(bench, { isSound }) {
      const count = uses.get(bench) ?? 0;
      if (isSound && bench.service.isRunning && count < casesPerFolder) {
        idle.push({ bench, uses: count });
        return;
      }
      await bench.service.kill();
      running.delete(bench);
      await bench.database.remove();
      await rm(bench.dataDir, { recursive: true, force: true });
    },
  };
}

/** Settings under which `SetUpFolder.token` is valid. */
export const serviceSettings = {
  // Tokens stay valid for all copies of the folder and for the whole campaign.
  TILTH_JWT_SECRET: 'a secret of the fault tests, of at least 32 bytes',
  TILTH_SECRETS_KEY: 'fa17'.repeat(16),
  TILTH_TOKEN_TTL_SECONDS: '86400',
  TILTH_LOG_LEVEL: 'warn',
};

/**
 * A data folder set up by a service, to be copied with its database: `template` in `root`, which has room for the
 * copies.
 */
export type SetUpFolder = {
  root: string;
  template: string;
  /** A copy of the template's database; the caller removes it. */
  copyDatabase(): Promise<FaultDatabase>;
  /** A copy of the database and of the folder, into a folder that may exist already. */
  copyTo(dataDir: string): Promise<FaultDatabase>;
  /** Token of the administrator. */
  token: string;
};

/** Starts a service once and ends it; the folders are removed with `t`. */
export async function createSetUpFolder(t: Ending, kind: DatabaseKind): Promise<SetUpFolder> {
  const root = await mkdtemp(join(tmpdir(), 'tilth-faults-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const template = join(root, 'template');
  const database = await createFaultDatabase(t, kind);
  const ends: (() => Promise<void>)[] = [];
  const { token } = await startProcess(
    { after: (end) => void ends.push(end) },
    { dataDir: template, settings: { ...serviceSettings, ...database.environment } },
  );
  for (const end of ends) await end();
  const copyDatabase = inTurn(() => database.copy());
  return {
    root,
    template,
    token,
    copyDatabase,
    async copyTo(dataDir) {
      await cp(template, dataDir, { recursive: true });
      return copyDatabase();
    },
  };
}

/** PostgreSQL allows only one copy of a database at a time. */
function inTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let turns: Promise<unknown> = Promise.resolve();
  return () => {
    const turn = turns.then(work);
    turns = turn.catch(() => {});
    return turn;
  };
}

/** A dataset in use, as its client knows it. */
export type WorkedDataset = {
  datasetId: string;
  journal: ClientJournal;
  known: ReadonlyMap<string, Stored>;
  /** Path → file id. */
  ids: ReadonlyMap<string, string>;
};

const sizes: Readonly<Record<string, number>> = {
  'keep/large.bin': 1_060_001,
  'keep/note.txt': 300,
  'keep/empty.txt': 0,
  'keep/table.csv': 40_000,
  'old/first.txt': 5000,
  'old/second.txt': 6000,
  'old/large.bin': 1_100_000,
  'purge/first.txt': 70_000,
  'purge/second.txt': 80_000,
  'purge/large.bin': 1_300_000,
  'replace/small.txt': 2000,
};

/** Creates a dataset with files of every kind. */
export async function createWorkedDataset(caller: Caller, random: Random): Promise<WorkedDataset> {
  const contents = new Map(Object.entries(sizes).map(([path, size]) => [path, random.bytes(size)]));
  const created = await caller.call('POST', '/datasets', { json: { name: 'Fields', type: 'TEXT' } });
  if (!isSuccess(created)) throw new Error('The dataset of the case was refused');
  const { id: datasetId } = created.json() as { id: string };
  const form = [...contents].map(([path, bytes]) => ({ name: 'files', value: bytes, fileName: path }));
  const uploaded = await caller.call('POST', `/datasets/${datasetId}/files/upload`, { form });
  if (!isSuccess(uploaded)) throw new Error('The files of the case were refused');
  const files = uploaded.json() as { id: string; filePath: string }[];
  const known = new Map([...contents].map(([path, bytes]) => [path, storedOf(bytes)]));
  return {
    datasetId,
    journal: createClientJournal(known),
    known,
    ids: new Map(files.map(({ id, filePath }) => [filePath, id])),
  };
}
