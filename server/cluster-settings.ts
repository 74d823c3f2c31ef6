// Derives the cluster's options, and the environment of its drivers, from the settings.
import { createHash } from 'node:crypto';
import { createRayJobs } from './cluster/index.ts';
import { SettingError, settings, type Config } from './config.ts';
import type { Cluster } from './engine/index.ts';
import type { RunCluster } from './runs/index.ts';

const mebibyte = 1024 * 1024;

/** Settings that a driver has no use for, or has its own values of. */
const ofTheService: ReadonlySet<string> = new Set([
  'Server',
  'Rate limits',
  'Uploads',
  'Queries',
  'Knowledge bases',
] satisfies (typeof settings)[keyof typeof settings]['section'][]);
const ofThisProcess: ReadonlySet<string> = new Set([
  'TILTH_DATA_DIR',
  'TILTH_DISK_RESERVE_MB',
  'TILTH_LOW_DISK_SPACE_MB',
  'TILTH_COLLECTION_ROOTS',
  'TILTH_ADMIN_PASSWORD',
  'TILTH_JWT_SECRET',
  'TILTH_TOKEN_TTL_SECONDS',
  'TILTH_RAY_URL',
  'TILTH_RAY_TOKEN',
  'TILTH_RAY_DIRECTORY',
  'TILTH_RAY_ENVIRONMENT',
]);
/** Variables read by the object store's SDK. */
const storeCredentials = /^AWS_/;

/** The configured cluster, if there is one. Throws SettingError if storage that its processes share is missing. */
export function runClusterOf(config: Config, env: NodeJS.ProcessEnv = process.env): RunCluster | undefined {
  const { rayUrl: url, rayToken: token, rayDirectory: directory, rayRuns: maxRuns } = config;
  if (url === undefined) return undefined;
  requireShared(config, 'TILTH_RAY_URL');
  if (config.rayTaskMemoryMb !== 0 && config.rayTaskMemoryMb <= config.runWorkerMemoryMb)
    throw new SettingError(
      `TILTH_RAY_TASK_MEMORY_MB (${config.rayTaskMemoryMb}) must be more than TILTH_RUN_WORKER_MEMORY_MB (${config.runWorkerMemoryMb}), because a worker needs that heap in addition to its own memory and nodes would run out of memory. Raise it, or set it to 0 to limit shards per node only by cores`,
    );
  return createRayJobs({
    url,
    token,
    directory,
    maxRuns,
    environment: driverEnvironment(config, env),
    // Identifies the installation, as an object store belongs to a single database and vice versa.
    installation: createHash('sha256')
      .update(config.storageUrl ?? '')
      .digest('hex')
      .slice(0, 16),
  });
}

/** Checks that all storage is shared; throws SettingError naming what is missing. */
export function requireShared(config: Config, asker: string): void {
  const missing = [
    ...(config.databaseUrl === undefined ? ['TILTH_DATABASE_URL (PostgreSQL)'] : []),
    ...(config.storageUrl === undefined ? ['TILTH_STORAGE_URL (an object store)'] : []),
    ...(config.secretsKey === undefined ? ['TILTH_SECRETS_KEY (openssl rand -hex 32)'] : []),
  ];
  if (missing.length > 0)
    throw new SettingError(
      `${asker} requires storage that all processes of a cluster share: set ${missing.join(', ')}; see docs/beyond-one-machine.md`,
    );
}

/** The settings of this process that differ from the defaults, so that a driver behaves in the same way. */
export function driverEnvironment(config: Config, env: NodeJS.ProcessEnv): Record<string, string> {
  const withSecrets = config.rayEnvironment === 'JOB';
  const told: Record<string, string> = {};
  for (const [key, { env: name, section, secret, default: unset }] of Object.entries(settings)) {
    if (ofTheService.has(section) || ofThisProcess.has(name) || (secret && !withSecrets)) continue;
    const value = config[key as keyof Config];
    if (value === unset || value === undefined) continue;
    const text = typeof value === 'object' ? value.join() : String(value);
    if (text !== '') told[name] = text;
  }
  if (withSecrets) {
    for (const [name, value] of Object.entries(env)) {
      if (storeCredentials.test(name) && value !== undefined) told[name] = value;
    }
  }
  return told;
}

/** The resources that a task reserves on a node. */
export function taskResources({ rayTaskCpus, rayTaskMemoryMb, rayTaskGpus }: Config): Cluster['resources'] {
  return { cpus: rayTaskCpus, memoryBytes: rayTaskMemoryMb * mebibyte, gpus: rayTaskGpus };
}
