// A service over PostgreSQL, an object store and a Ray cluster, with datasets to clean on it.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresDatabase } from './postgres.ts';
import { startRay, type RayCluster } from './ray.ts';
import { startProcess, type Ending, type RunningProcess } from './server.ts';
import { credentialsOf, sharedS3 } from './versitygw.ts';

export type ClusterRun = {
  id: string;
  status: string;
  error: string | null;
  counts: Record<'in' | 'kept' | 'changed' | 'dropped' | 'failed' | 'emitted', number>;
};

/** The complete result of a run, except its ids and times. */
export type ClusterOutcome = { status: string; error: string | null; counts: ClusterRun['counts']; digest: string };

export type ClusterPlace = {
  /** Settings of a service without a cluster. */
  settings: Record<string, string>;
  /** Secrets for only the service and the drivers. */
  secrets: Record<string, string>;
  databaseUrl: string;
};

/** A database and a folder of the object store. */
export async function openClusterPlace(
  t: Ending,
  { databaseUrl, endpoint }: { databaseUrl?: string; endpoint?: string } = {},
): Promise<ClusterPlace> {
  const server = await sharedS3();
  const database = databaseUrl === undefined ? await createPostgresDatabase() : undefined;
  if (database !== undefined) t.after(database.drop);
  const url = databaseUrl ?? database?.url ?? '';
  const secrets = { TILTH_DATABASE_URL: url, TILTH_SECRETS_KEY: 'c1'.repeat(32) };
  const settings = {
    ...secrets,
    TILTH_STORAGE_URL: `s3://${server.bucket}/cluster-${randomUUID()}`,
    TILTH_STORAGE_ENDPOINT: endpoint ?? server.endpoint,
    TILTH_JWT_SECRET: 'one secret for all services of a cluster',
    TILTH_RUN_LEASE_SECONDS: '5',
    ...credentialsOf(server),
  };
  return { settings, secrets, databaseUrl: url };
}

/** Settings that make a service use the cluster. */
export function withRay({ settings }: ClusterPlace, ray: Pick<RayCluster, 'url' | 'token'>): Record<string, string> {
  return {
    ...settings,
    TILTH_RAY_URL: ray.url,
    TILTH_RAY_TOKEN: ray.token,
    TILTH_RAY_SHARD_MB: '1',
    TILTH_RAY_TASK_MEMORY_MB: '0',
  };
}

/** A cluster whose nodes have the environment that drivers and workers need, as from Kubernetes secrets. */
export function startRayFor(t: Ending, place: ClusterPlace, options: { nodes?: number } = {}): Promise<RayCluster> {
  const { TILTH_DATABASE_URL = '', TILTH_SECRETS_KEY = '' } = place.secrets;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = place.settings;
  return startRay(t, {
    ...options,
    env: { TILTH_DATABASE_URL, TILTH_SECRETS_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
  });
}

export async function startService(t: Ending, settings: Record<string, string>): Promise<RunningProcess> {
  return startProcess(t, { settings });
}

type Service = Pick<RunningProcess, 'api' | 'url' | 'token'>;

export async function addDataset(service: Service, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: `rows ${randomUUID()}`,
    type: 'TEXT',
  });
  for (const [path, content] of Object.entries(files)) {
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(Buffer.from(content))]), path);
    const { status, body: answer } = await service.api(
      'POST',
      `/data-management/datasets/${body.id}/files/upload`,
      form,
    );
    assert.equal(status, 201, JSON.stringify(answer));
  }
  return body.id;
}

export const cleaningSteps = [
  { operatorId: 'whitespace-normalizer' },
  { operatorId: 'exact-deduplicator' },
  { operatorId: 'text-length-filter', params: { min: 20 } },
  { operatorId: 'minhash-deduplicator' },
];

export type ClusterTask = { id: string; targetDatasetId: string };

export async function addTask(
  service: Service,
  sourceDatasetId: string,
  steps: object[] = cleaningSteps,
): Promise<ClusterTask> {
  const name = `clean ${randomUUID()}`;
  const { status, body } = await service.api<{ data: ClusterTask }>('POST', '/data-cleaning/tasks', {
    name,
    sourceDatasetId,
    steps,
  });
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
}

export async function execute(service: Service, { id }: ClusterTask): Promise<string> {
  const { status, body } = await service.api<{ data: ClusterRun }>('POST', `/data-cleaning/tasks/${id}/execute`, {});
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

export async function findRun(service: Service, task: ClusterTask, runId: string): Promise<ClusterRun> {
  const { body } = await service.api<{ data: ClusterRun }>('GET', `/data-cleaning/tasks/${task.id}/runs/${runId}`);
  return body.data;
}

/** Waits for the end of a run, even while the service is down. */
export async function ended(service: Service, task: ClusterTask, runId: string): Promise<ClusterRun> {
  for (;;) {
    const run = await findRun(service, task, runId).catch(() => undefined);
    if (run !== undefined && run.status !== undefined && run.status !== 'QUEUED' && run.status !== 'RUNNING')
      return run;
    await pause(200);
  }
}

export async function logOf(service: Service, task: ClusterTask, runId: string): Promise<string[]> {
  const { body } = await service.api<{ data: { content: { message: string }[] } }>(
    'GET',
    `/data-cleaning/tasks/${task.id}/runs/${runId}/logs?size=1000`,
  );
  return body.data.content.map(({ message }) => message);
}

/** The counts, and a digest of all files and of the whole ledger. */
export async function outcomeOf(service: Service, task: ClusterTask, runId: string): Promise<ClusterOutcome> {
  const { status, error, counts } = await ended(service, task, runId);
  const hash = createHash('sha256');
  const { body: task_ } = await service.api<{ data: ClusterTask }>('GET', `/data-cleaning/tasks/${task.id}`);
  const files = `/data-management/datasets/${task_.data.targetDatasetId}/files`;
  const { body: list } = await service.api<{ content: { id: string; filePath: string }[] }>(
    'GET',
    `${files}?size=1000`,
  );
  const listed = (list.content ?? []).toSorted((one, other) => (one.filePath < other.filePath ? -1 : 1));
  for (const { id, filePath } of listed) {
    const answer = await fetch(`${service.url}/api/v1${files}/${id}/download`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    assert.equal(answer.status, 200, filePath);
    hash.update(filePath).update(Buffer.from(await answer.arrayBuffer()));
  }
  for (let page = 0; ; page += 1) {
    const path = `/data-cleaning/tasks/${task.id}/runs/${runId}/ledger?page=${page}&size=1000`;
    const { body } = await service.api<{ data: { content: object[] } }>('GET', path);
    if (body.data.content.length === 0) break;
    hash.update(JSON.stringify(body.data.content));
  }
  return { status, error, counts, digest: hash.digest('hex') };
}

/** Rows of about 100 bytes, a few of them exact or near duplicates, a few too short. */
export function rowsOf(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const row = from + at;
    const words =
      row % 7 === 0
        ? `the  same   words in row ${row % 3} of all of them`
        : `${row} is the number of   this row, and ${row * 7} seven times it`;
    return `${JSON.stringify({ n: row, text: row % 11 === 0 ? 'short' : `${words} ${'x'.repeat(row % 40)}` })}\n`;
  }).join('');
}
