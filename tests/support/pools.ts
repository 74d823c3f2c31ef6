// Engines over an object store, whose work is done by threads or by processes of a cluster.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputFile } from '../../server/engine/index.ts';
import type { BlobStore, SharedBlobs } from '../../server/storage/blobs/index.ts';
import { createS3ObjectStore, openObjectBlobStore } from '../../server/storage/blobs/s3/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { startCluster, type TestCluster, type TestClusterOptions } from './cluster.ts';
import { openEngine, type EngineBench, type EngineBenchOptions, type RunRecipe } from './engine.ts';
import type { Ending } from './server.ts';
import { credentialsOf, sharedS3 } from './versitygw.ts';

/** A database with an object store, and what a worker needs to use it. */
export type PoolPlace = {
  db: Database;
  directory: string;
  store: BlobStore & { shared: SharedBlobs };
  env: Record<string, string>;
  /** The file of the S3 server that holds the bytes of an input. */
  objectOf(file: InputFile): Promise<string>;
};

export async function openPoolPlace(t: Ending, db: Database): Promise<PoolPlace> {
  const server = await sharedS3();
  Object.assign(process.env, credentialsOf(server));
  const directory = await mkdtemp(join(tmpdir(), 'tilth-pool-'));
  const prefix = directory.slice(directory.lastIndexOf('/') + 1);
  const url = `s3://${server.bucket}/${prefix}`;
  const store = await openObjectBlobStore({
    db,
    url,
    store: createS3ObjectStore({ url, endpoint: server.endpoint }),
    scratchDirectory: join(directory, 'copies'),
    scratchMaxBytes: 2 ** 30,
  });
  t.after(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    db,
    directory,
    store,
    env: { TILTH_STORAGE_URL: url, TILTH_STORAGE_ENDPOINT: server.endpoint, ...credentialsOf(server) },
    async objectOf({ blobId }) {
      const [row] = await store.shared.locate([blobId ?? '']);
      const names = await readdir(join(server.folder, prefix), { recursive: true });
      const name = names.find((one) => row !== undefined && one.endsWith(row.object_id));
      if (name === undefined) throw new Error('The file has no object');
      return join(server.folder, prefix, name);
    },
  };
}

export type PoolBench = EngineBench & { cluster: TestCluster; /** What the pool was told of losses. */ lost: string[] };

export type PoolBenchOptions = EngineBenchOptions & Partial<TestClusterOptions> & { pauseMs?: number };

const shardBytes = 2000;

/** An engine whose work is done by threads; the caller closes it. */
export function openThreadBench(
  { db, directory, store }: PoolPlace,
  options: EngineBenchOptions = {},
): Promise<EngineBench> {
  return openEngine(db, directory, { store, shardBytes, ...options });
}

/** An engine whose work is done by processes of a cluster. */
export async function openClusterBench(
  t: Ending,
  { db, directory, store, env: storage }: PoolPlace,
  { size = 2, args, change, lose, env, pauseMs = 10, ...options }: PoolBenchOptions = {},
): Promise<PoolBench> {
  const cluster = startCluster(t, {
    size,
    env: { ...storage, ...env },
    ...(args === undefined ? {} : { args }),
    ...(change === undefined ? {} : { change }),
    ...(lose === undefined ? {} : { lose }),
  });
  const lost: string[] = [];
  const bench = await openEngine(db, directory, {
    store,
    shardBytes,
    cluster: {
      lines: cluster.lines,
      resources: { cpus: 1, memoryBytes: 2 ** 30, gpus: 0 },
      pauseMs,
      onLost: (message) => lost.push(message.text),
    },
    ...options,
  });
  t.after(() => bench.close());
  return { ...bench, cluster, lost };
}

/** Changes one byte of a file. */
export async function damageFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

export async function putAll(
  bench: EngineBench,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<InputFile[]> {
  const source: InputFile[] = [];
  for (const [path, content] of Object.entries(files)) source.push(await bench.put(path, content));
  return source;
}

export type Outcome = {
  status: string;
  error: string | null;
  counts: { in: number; kept: number; dropped: number; failed: number };
  entries: { reason: string | null }[];
  outputs: [path: string, content: string][];
};

/** Everything that a run has reported and made, except ids. */
export async function outcomeOf(bench: EngineBench, source: readonly InputFile[], recipe: RunRecipe): Promise<Outcome> {
  return outcomeOfRun(bench, (await bench.execute(source, recipe)).id);
}

export async function outcomeOfRun(bench: EngineBench, runId: string): Promise<Outcome> {
  const run = await bench.ended(runId);
  const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 10_000 });
  const outputs: Outcome['outputs'] = [];
  if (run.status === 'COMPLETED') {
    for (const { path, blobId } of bench.outputs())
      outputs.push([path, (await bench.bytesOf(blobId)).toString('base64')]);
  }
  const told = entries.map(({ sampleId: _sampleId, ...entry }) => entry);
  return { status: run.status, error: run.error, counts: run.counts, entries: told, outputs };
}

/** JSON Lines with texts. */
export const rowsOf = (count: number, text: (row: number) => string): string =>
  Array.from({ length: count }, (_, row) => `${JSON.stringify({ text: text(row), n: row })}\n`).join('');

/** The messages in the log of a run. */
export async function logOf(bench: PoolBench, runId: string): Promise<string[]> {
  const { lines } = await bench.engine.listLogs(runId, { page: 0, size: 1000 });
  return lines.map(({ message }) => message);
}
