import { foreign } from '../../server/kernel/sentences/index.ts';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import {
  type Recipe,
  type Step,
  type TextFieldsRule,
  type OnError,
  createEngine,
  recipeRunOf,
  type Engine,
  type EngineOptions,
  type InputFile,
  type OutputFile,
  type RecipeRun,
} from '../../server/engine/index.ts';
import { operators, parseParams } from '../../server/operators/index.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import { listShards } from '../../server/engine/drive/queries/shards.ts';
import type { LedgerLine } from '../../server/engine/orders/ledger-line.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import type { PageRequest, SortDirection } from '../../server/kernel/page.ts';
import { newId } from '../../server/kernel/ids.ts';
import { createRuns, RunFailure, type Run, type Runs, type ServiceLogger } from '../../server/runs/index.ts';
import { openBlobStore } from '../../server/storage/blobs/index.ts';
import type { BlobStore } from '../../server/storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../server/storage/database/database.ts';
import { sharedThreads } from './engine-workers.ts';
import { countStart } from './test-costs.ts';

const area = 'test';

/** The engine and its runs, all of one area. */
type EngineWithRuns = Engine &
  Omit<Runs, 'listRuns' | 'deleteRuns' | 'register'> & {
    listRuns(area: string, taskId: string, page: PageRequest, direction?: SortDirection): ReturnType<Runs['listRuns']>;
    deleteRuns(tx: Tx, taskId: string): Promise<void>;
  };

export type EngineBench = {
  /** Its folder: blobs, scratch files and the result. */
  directory: string;
  engine: EngineWithRuns;
  blobs: BlobStore;
  db: Database;
  /** Stores a file of the source. */
  put(path: string, content: string | Uint8Array): Promise<InputFile>;
  /** The datasets that steps may name, by id. */
  references: Map<string, readonly InputFile[]>;
  /** Queues a run over files and starts it; the result is written to a file beside the blobs. */
  execute(
    files: readonly InputFile[],
    recipe: RunRecipe,
    options?: { taskId?: string; resume?: string; failedOf?: string },
  ): Promise<Run>;
  /** The runs that show a status. */
  listByStatus(status: Run['status']): Promise<Run[]>;
  /** Waits for the end of a run. */
  ended(runId: string): Promise<RecipeRun>;
  /** Path → content of the last committed result. */
  result(): Promise<Map<string, string>>;
  /** Files of the last committed result. */
  outputs(): OutputFile[];
  bytesOf(blobId: string): Promise<Buffer>;
  close(): Promise<void>;
};

export type RunRecipe = {
  steps: readonly Step[];
  onError?: OnError;
  textField?: string;
  textFields?: readonly TextFieldsRule[];
  where?: NonNullable<Recipe['where']>;
  encoding?: NonNullable<Recipe['encoding']>;
  output?: NonNullable<Recipe['output']>;
};

/** A step of a test operator, or of a built-in one in its current version with its defaults. */
export function step(operatorId: string, params: Record<string, unknown> = {}): Step {
  const operator = operators.find(({ id }) => id === operatorId);
  if (operator === undefined) return { operatorId, version: '1.0.0', params };
  const parsed = parseParams(operator, params);
  return { operatorId, version: operator.version, params: parsed.ok ? parsed.params : params };
}

export type EngineBenchOptions = Partial<EngineOptions> & {
  logger?: Partial<ServiceLogger>;
  retentionDays?: number;
  /** Where the bytes are stored; by default, in a folder of its own. */
  store?: BlobStore;
};

const testOperators = builtModule(new URL('test-operators.ts', import.meta.url)).href;

/** An engine over a database and a blob store in `directory`, with an area that keeps its result in a file. */
export function openEngine(db: Database, directory: string, options: EngineBenchOptions = {}): Promise<EngineBench> {
  return countStart('engine', () => openUncounted(db, directory, options));
}

/** An engine in a folder of its own; both go with the test. */
export async function openBench(t: TestContext, db: Database, options: EngineBenchOptions = {}): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
  const bench = await openEngine(db, directory, options);
  t.after(async () => {
    await bench.close();
    await rm(directory, { recursive: true });
  });
  return bench;
}

async function openUncounted(
  db: Database,
  directory: string,
  { logger, retentionDays = 0, store, ...options }: EngineBenchOptions,
): Promise<EngineBench> {
  const blobs = store ?? (await openBlobStore({ directory: join(directory, 'blobs'), db }));
  const runs = createRuns({
    db,
    clock: systemClock,
    logger: { error: () => {}, info: () => {}, ...logger },
    place: directory,
    retentionDays,
    ...(options.timers === undefined ? {} : { timers: options.timers }),
  });
  const engine = createEngine({
    db,
    blobs,
    runs,
    operatorsUrl: testOperators,
    workers: 1,
    // Threads do the same as processes and start sooner; tests of what differs ask for processes.
    workersIn: 'threads',
    ...(options.workerMemoryMb === undefined && options.workersIn !== 'processes'
      ? { sharedWorkers: sharedThreads(options.operatorsUrl ?? testOperators) }
      : {}),
    scratchDirectory: join(directory, 'scratch'),
    ...options,
  });
  const references = new Map<string, readonly InputFile[]>();
  const resultFile = join(directory, 'result.json');

  engine.register(area, {
    async *inputs(run) {
      yield run.areaDetails as InputFile[];
    },
    async reference({ datasetId, prefix = '' }) {
      const files = references.get(datasetId);
      if (files === undefined) throw new RunFailure(foreign(`There is no dataset ${datasetId}`));
      return {
        name: `Dataset ${datasetId}`,
        files: Readable.from([files.filter(({ path }) => path.startsWith(prefix))]),
      };
    },
    async commit(_tx, run, outputs) {
      const files: OutputFile[] = [];
      for await (const slice of outputs) files.push(...slice);
      writeFileSync(`${resultFile}.new`, JSON.stringify(files));
      renameSync(`${resultFile}.new`, resultFile);
      return { datasetId: run.taskId, version: 2 };
    },
  });

  function outputs(): OutputFile[] {
    return existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, 'utf8')) as OutputFile[]) : [];
  }

  async function close(): Promise<void> {
    await runs.stop();
    await engine.stop();
  }

  async function bytesOf(blobId: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const { bytes } of blobs.readAll([blobId])) pieces.push(Buffer.from(bytes));
    return Buffer.concat(pieces);
  }

  async function find(runId: string): Promise<RecipeRun> {
    const row = await db.read.selectFrom('runs').select('task_id').where('id', '=', runId).executeTakeFirstOrThrow();
    const run = await runs.findRun(db.read, area, row.task_id, runId);
    if (run === undefined) throw new Error(`There is no run ${runId}`);
    return recipeRunOf(run);
  }

  return {
    engine: {
      ...runs,
      ...engine,
      listRuns: (of, taskId, page, direction) => runs.listRuns({ area: of, taskId }, page, direction),
      deleteRuns: (tx, taskId) => runs.deleteRuns(tx, area, taskId),
      async start() {
        await engine.start();
        await runs.start();
      },
      stop: close,
    },
    directory,
    blobs,
    db,
    references,
    async put(path, content) {
      const writer = blobs.create();
      await writer.write(Buffer.from(content));
      const staged = await writer.finish();
      await blobs.flush();
      await db.write((tx) => blobs.adopt(tx, [staged]));
      await blobs.settle([staged]);
      return { fileId: newId(), path, sizeBytes: staged.sizeBytes, blobId: staged.id };
    },
    async execute(files, recipe, { taskId = newId(), resume, failedOf } = {}) {
      const { steps, onError = 'KEEP', textField = null, ...rest } = recipe;
      const newRun = {
        area,
        taskId,
        by: 'tester',
        details: engine.detailsOf({ steps, onError, textField, ...rest }, files),
        datasets: [{ datasetId: 'source', role: 'SOURCE' as const, version: 1 }],
        ...(failedOf === undefined ? {} : { failedOf }),
      };
      const run = await db.write((tx) =>
        resume === undefined ? runs.enqueue(tx, newRun) : runs.resume(tx, newRun, resume),
      );
      runs.wake();
      return run;
    },
    async listByStatus(status) {
      return (await runs.listRuns({ statuses: [status] }, { page: 0, size: 100 })).runs;
    },
    ended(runId) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          find(runId).then((run) => {
            if (run.status === 'QUEUED' || run.status === 'RUNNING') return;
            forget();
            resolve(run);
          }, reject);
        };
        const forget = runs.onChange(runId, look);
        look();
      });
    },
    async result() {
      const result = new Map<string, string>();
      for (const { path, blobId } of outputs()) result.set(path, (await bytesOf(blobId)).toString());
      return result;
    },
    outputs,
    bytesOf,
    async close() {
      await close();
      if (store === undefined) await blobs.close();
    },
  };
}

/** Executes a run and waits for its end. */
export async function runToEnd(bench: EngineBench, files: readonly InputFile[], recipe: RunRecipe): Promise<RecipeRun> {
  return bench.ended((await bench.execute(files, recipe)).id);
}

/** All lines of a run's ledger. */
export async function ledgerOf(bench: EngineBench, runId: string): Promise<LedgerLine[]> {
  const lines: LedgerLine[] = [];
  for (const { ledger_blob_id: id } of await listShards(bench.db.read, runId, -1, 1000)) {
    if (id === null) continue;
    const text = (await bench.bytesOf(id)).toString().trimEnd();
    if (text !== '') lines.push(...text.split('\n').map((line) => JSON.parse(line) as LedgerLine));
  }
  return lines;
}
