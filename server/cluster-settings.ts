// What the settings say of the cluster, and what its drivers are told.
import { createHash } from 'node:crypto';
import { createRayJobs } from './cluster/index.ts';
import { SettingError, settings, type Config } from './config.ts';
import type { Cluster } from './engine/index.ts';
import type { RunCluster } from './runs/index.ts';

const mebibyte = 1024 * 1024;

/** Settings that are of no use to a driver, or that it has its own of. */
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
/** What the SDK of the object store reads. */
const storeCredentials = /^AWS_/;

/** The cluster of the settings, if they name one. Throws SettingError if it lacks what its processes share. */
export function runClusterOf(config: Config, env: NodeJS.ProcessEnv = process.env): RunCluster | undefined {
  const { rayUrl: url, rayToken: token, rayDirectory: directory, rayRuns: maxRuns } = config;
  if (url === undefined) return undefined;
  requireShared(config, 'TILTH_RAY_URL');
  if (config.rayTaskMemoryMb !== 0 && config.rayTaskMemoryMb <= config.runWorkerMemoryMb)
    throw new SettingError(
      `TILTH_RAY_TASK_MEMORY_MB (${config.rayTaskMemoryMb}) must be more than TILTH_RUN_WORKER_MEMORY_MB (${config.runWorkerMemoryMb}), which a worker takes besides its own: nodes would run out of memory. Raise it, or set it to 0 to fill nodes by their cores alone`,
    );
  return createRayJobs({
    url,
    token,
    directory,
    maxRuns,
    environment: driverEnvironment(config, env),
    // The object store knows one database, and the other way round.
    installation: createHash('sha256')
      .update(config.storageUrl ?? '')
      .digest('hex')
      .slice(0, 16),
  });
}

/** Throws SettingError, naming what is missing. */
export function requireShared(config: Config, asker: string): void {
  const missing = [
    ...(config.databaseUrl === undefined ? ['TILTH_DATABASE_URL (PostgreSQL)'] : []),
    ...(config.storageUrl === undefined ? ['TILTH_STORAGE_URL (an object store)'] : []),
    ...(config.secretsKey === undefined ? ['TILTH_SECRETS_KEY (openssl rand -hex 32)'] : []),
  ];
  if (missing.length > 0)
    throw new SettingError(
      `${asker} needs what the processes of a cluster share: set ${missing.join(', ')}; see docs/beyond-one-machine.md`,
    );
}

/** The settings of this process that differ from the defaults, so that a driver works as it would. */
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

/** What work takes of the nodes while it runs. */
export function taskResources({ rayTaskCpus, rayTaskMemoryMb, rayTaskGpus }: Config): Cluster['resources'] {
  return { cpus: rayTaskCpus, memoryBytes: rayTaskMemoryMb * mebibyte, gpus: rayTaskGpus };
}
