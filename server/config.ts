import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { parseStorageUrl } from './kernel/storage-url.ts';
import {
  basePath,
  choice,
  integer,
  list,
  onOff,
  optionalText,
  requireDestination,
  requireNetwork,
  text,
  type Setting,
} from './setting-types.ts';

/** A setting with an unusable value; its message is printed on the console as one line. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const tebibyte = 1024 * gibibyte;

/** All settings. `docs/settings.md` and `--help settings` are generated from this. */
export const settings = {
  host: text('TILTH_HOST', '127.0.0.1', {
    section: 'Server',
    sentence: 'Address to listen on; 0.0.0.0 accepts connections from other machines.',
  }),
  port: integer('TILTH_PORT', 7700, {
    section: 'Server',
    sentence: 'Port to listen on; 0 chooses any free port.',
    min: 0,
    max: 65_535,
  }),
  basePath: basePath('TILTH_BASE_PATH', {
    section: 'Server',
    sentence:
      'Path under which a reverse proxy serves Tilth, for example /tilth; works whether or not the proxy strips it. Empty: the root.',
  }),
  trustedProxies: list('TILTH_TRUSTED_PROXIES', {
    section: 'Server',
    type: 'addresses or networks, separated by commas',
    check: requireNetwork,
    sentence: 'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.',
  }),
  metricsAccess: choice('TILTH_METRICS_ACCESS', ['PUBLIC', 'VIEWER', 'ADMIN'], 'PUBLIC', {
    section: 'Server',
    sentence: 'Who may read /metrics: everyone who can reach the port, or users with at least this role.',
  }),

  maxConnections: integer('TILTH_MAX_CONNECTIONS', 16_384, {
    section: 'Server',
    sentence:
      'Maximum number of open connections; further ones are refused. Set it lower if the system allows fewer open files.',
    min: 1,
    max: 1_000_000,
  }),
  headersTimeoutSeconds: integer('TILTH_HEADERS_TIMEOUT_SECONDS', 20, {
    section: 'Server',
    sentence: 'Seconds within which the headers of a request must arrive before its connection is closed.',
    min: 1,
    max: 3600,
  }),
  stallTimeoutSeconds: integer('TILTH_STALL_TIMEOUT_SECONDS', 60, {
    section: 'Server',
    sentence:
      'Seconds without progress in a request or response body after which the connection is closed; slow transfers are not affected.',
    min: 1,
    max: 3600,
  }),

  drainSeconds: integer('TILTH_DRAIN_SECONDS', 0, {
    section: 'Server',
    sentence:
      'Seconds between a stop signal and the actual stop: /readyz already answers 503 while calls are still served, so that a load balancer can switch to another node. A second signal stops at once.',
    min: 0,
    max: 3600,
  }),
  nodeAddress: optionalText('TILTH_NODE_ADDRESS', {
    section: 'Server',
    type: 'text',
    sentence: 'Address of this node as shown to administrators; unset: hostname and port.',
  }),

  dataDir: text('TILTH_DATA_DIR', './data', {
    section: 'Storage',
    sentence: 'Folder in which the service stores all its data; only one running service per folder.',
  }),
  databaseUrl: optionalText('TILTH_DATABASE_URL', {
    section: 'Storage',
    type: 'postgres:// URL',
    sentence:
      'PostgreSQL database for the metadata; unset: SQLite in the data folder. Nodes that share one each have their own data folder and serve only the bytes that they received, unless an object store holds the bytes; see docs/beyond-one-machine.md.',
    secret: true,
    check(text) {
      if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be a postgres:// URL');
    },
  }),
  storageUrl: optionalText('TILTH_STORAGE_URL', {
    section: 'Storage',
    type: 's3://bucket/folder',
    sentence:
      'Bucket of an S3-compatible object store, and a folder in it, for the bytes of files; unset: the data folder. To move existing files there, use migrate-to; see docs/object-storage.md.',
    check(text) {
      parseStorageUrl(text);
    },
  }),
  storageEndpoint: optionalText('TILTH_STORAGE_ENDPOINT', {
    section: 'Storage',
    type: 'http:// or https:// URL',
    sentence:
      'Address of the object store if it is not Amazon S3. Credentials are read from the same places as by the AWS tools.',
    check(text) {
      if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be an http:// or https:// URL');
    },
  }),
  storageRegion: optionalText('TILTH_STORAGE_REGION', {
    section: 'Storage',
    type: 'text',
    sentence: 'Region of the bucket; unset: that of the AWS tools.',
  }),
  storageScratchMb: integer('TILTH_STORAGE_SCRATCH_MB', 20_480, {
    section: 'Storage',
    sentence:
      'Disk space in MiB in the data folder for temporary local copies of files, if an object store holds them.',
    min: 64,
    max: 1024 * 1024 * 1024,
  }),
  diskReserveMb: integer('TILTH_DISK_RESERVE_MB', 128, {
    section: 'Storage',
    sentence:
      'Disk space in MiB reserved in the data folder, so that data can still be deleted when the disk is full; 0 reserves none.',
    min: 0,
    max: 1024 * 1024,
  }),
  lowDiskSpaceMb: integer('TILTH_LOW_DISK_SPACE_MB', 1024, {
    section: 'Storage',
    sentence: 'Free disk space in MiB below which /readyz, the metrics and the web application warn.',
    min: 0,
    max: 1024 * 1024,
  }),
  databaseWaitSeconds: integer('TILTH_DATABASE_WAIT_SECONDS', 30, {
    section: 'Storage',
    sentence: 'Seconds to wait for PostgreSQL to become reachable before startup fails.',
    min: 0,
    max: 3600,
  }),

  adminPassword: optionalText('TILTH_ADMIN_PASSWORD', {
    section: 'Access',
    type: 'text, 12 to 128 characters',
    sentence: 'Password of the user admin at the first start; unset: one is generated and printed once.',
    secret: true,
    check(text) {
      const length = [...text].length;
      if (length < 12 || length > 128) throw new Error('must have 12 to 128 characters');
    },
  }),
  jwtSecret: optionalText('TILTH_JWT_SECRET', {
    section: 'Access',
    type: 'text, at least 32 bytes',
    sentence:
      'Key that signs tokens; unset: one is generated, in the data folder, or encrypted in PostgreSQL for all nodes. If set, it must be the same on all nodes.',
    secret: true,
    check(text) {
      if (Buffer.byteLength(text) < 32) throw new Error('must have at least 32 bytes');
    },
  }),
  tokenTtlSeconds: integer('TILTH_TOKEN_TTL_SECONDS', 3600, {
    section: 'Access',
    sentence: 'Lifetime of a token in seconds.',
    min: 1,
    max: 30 * 24 * 60 * 60,
  }),

  secretsKey: optionalText('TILTH_SECRETS_KEY', {
    section: 'Access',
    type: 'keys of 64 hexadecimal digits, separated by commas',
    sentence:
      'Key that encrypts stored secrets (API keys of models); unset: one is generated in the data folder. Of several keys, the first encrypts and the others only decrypt. It must be the same on all nodes, and it is required with both PostgreSQL and an object store.',
    secret: true,
    check(text) {
      if (!text.split(',').every((key) => /^[\da-f]{64}$/i.test(key.trim())))
        throw new Error('must be keys of 64 hexadecimal digits (openssl rand -hex 32), separated by commas');
    },
  }),

  outgoingAllow: list('TILTH_OUTGOING_ALLOW', {
    section: 'Outgoing calls',
    type: 'hosts, addresses or networks, each with or without a port, separated by commas',
    check: requireDestination,
    sentence:
      'Non-public destinations that the service may call, such as a local model server: localhost:11434, 10.1.0.0/16, [fd00::7]:443.',
  }),

  collectionRoots: list('TILTH_COLLECTION_ROOTS', {
    section: 'Outgoing calls',
    type: 'absolute folders, separated by commas',
    check(text) {
      if (!isAbsolute(text)) throw new Error('must be absolute folders like /mnt/nas, separated by commas');
    },
    sentence:
      'Folders from which editors may collect files into datasets (connectors local-folder and sqlite), such as a mounted NAS; unset: none.',
  }),

  modelReplyRetentionDays: integer('TILTH_MODEL_REPLY_RETENTION_DAYS', 90, {
    section: 'Outgoing calls',
    sentence:
      'Days to keep a model reply after its last use, so that repeating a run costs nothing, and the vectors of a knowledge base after its settings changed; 0: keep all.',
    min: 0,
    max: 36_500,
  }),

  rateLimitPerMinute: integer('TILTH_RATE_LIMIT_PER_MINUTE', 100, {
    section: 'Rate limits',
    sentence:
      'API calls per credential (per address without one) in any 60 seconds; divided evenly among several nodes. 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  rateLimitPerHour: integer('TILTH_RATE_LIMIT_PER_HOUR', 1000, {
    section: 'Rate limits',
    sentence:
      'API calls per credential (per address without one) in any 3,600 seconds, divided in the same way; 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  cookieRateLimitPerMinute: integer('TILTH_COOKIE_RATE_LIMIT_PER_MINUTE', 1000, {
    section: 'Rate limits',
    sentence:
      'API calls per session of the web application in any 60 seconds, instead of the limits above; 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  uploadChunkAllowance: onOff('TILTH_UPLOAD_CHUNK_ALLOWANCE', true, {
    section: 'Rate limits',
    sentence:
      'Whether the first totalFileNum + 2 × ceil(totalSize / 1 MiB) chunk calls of an upload do not count towards the limits.',
  }),
  hubFileAllowance: onOff('TILTH_HUB_FILE_ALLOWANCE', true, {
    section: 'Rate limits',
    sentence:
      'Whether the first 4 × files + 4 × ceil(bytes / 1 MiB) calls in an hour for the files of a version, by a client of the Hugging Face Hub with one credential, do not count towards the limits.',
  }),

  uploadTtlSeconds: integer('TILTH_UPLOAD_TTL_SECONDS', 7 * 24 * 60 * 60, {
    section: 'Uploads',
    sentence: 'Seconds without a chunk after which an unfinished upload expires and is deleted.',
    min: 1,
    max: 365 * 24 * 60 * 60,
  }),
  maxChunkBytes: integer('TILTH_MAX_CHUNK_BYTES', 64 * mebibyte, {
    section: 'Uploads',
    sentence: 'Largest chunk of an upload in bytes.',
    min: 1,
    max: gibibyte,
  }),

  archiveMaxEntries: integer('TILTH_ARCHIVE_MAX_ENTRIES', 1_000_000, {
    section: 'Archives',
    sentence: 'Maximum number of entries unpacked from one archive.',
    min: 1,
    max: 100_000_000,
  }),
  archiveMaxBytes: integer('TILTH_ARCHIVE_MAX_BYTES', 100 * gibibyte, {
    section: 'Archives',
    sentence: 'Maximum number of bytes unpacked from one archive.',
    min: 1,
    max: 1024 * tebibyte,
  }),
  archiveMaxRatio: integer('TILTH_ARCHIVE_MAX_RATIO', 1000, {
    section: 'Archives',
    sentence:
      'Maximum ratio of unpacked to packed size, also of compressed files that runs read; checked after the first 100 MiB.',
    min: 1,
    max: 1_000_000,
  }),

  documentTimeoutSeconds: integer('TILTH_DOCUMENT_TIMEOUT_SECONDS', 60, {
    section: 'Documents',
    sentence: 'CPU seconds for reading one document (PDF, Office, e-book, e-mail …); a document that needs more fails.',
    min: 1,
    max: 24 * 60 * 60,
  }),
  viewIndexMb: integer('TILTH_VIEW_INDEX_MB', 20_480, {
    section: 'Storage',
    sentence:
      'Disk space in MiB for the indexes of viewed tables; beyond it, the least recently used ones are deleted and rebuilt when needed.',
    min: 16,
    max: 1024 * 1024 * 1024,
  }),
  querySeconds: integer('TILTH_QUERY_SECONDS', 60, {
    section: 'Queries',
    sentence:
      'Seconds that a query over the tables of a dataset may take; ten times as many if its whole result is saved or downloaded.',
    min: 1,
    max: 24 * 60 * 60,
  }),
  queryMemoryMb: integer('TILTH_QUERY_MEMORY_MB', 1024, {
    section: 'Queries',
    sentence: 'Memory limit in MiB of a query; up to two queries run at a time, each in its own process.',
    min: 256,
    max: 1024 * 1024,
  }),
  queryDiskMb: integer('TILTH_QUERY_DISK_MB', 4096, {
    section: 'Queries',
    sentence:
      'Disk space in MiB that a query may use for sorts and joins that exceed its memory, and for a result that it writes.',
    min: 16,
    max: 1024 * 1024 * 1024,
  }),
  vectorGraphMb: integer('TILTH_VECTOR_GRAPH_MB', 512, {
    section: 'Documents',
    sentence:
      'Memory in MiB for the vectors of knowledge bases with 1,000 chunks or more, and for HNSW graphs of the largest ones; 0: vector searches read all vectors from the index.',
    min: 0,
    max: 1024 * 1024,
  }),
  documentMemoryMb: integer('TILTH_DOCUMENT_MEMORY_MB', 1024, {
    section: 'Documents',
    sentence: 'Memory in MiB for reading one document; a document that needs more fails.',
    min: 256,
    max: 1024 * 1024,
  }),
  documentProcesses: integer('TILTH_DOCUMENT_PROCESSES', 0, {
    section: 'Documents',
    sentence: 'Documents read in parallel, each in its own process; 0: one per processor core.',
    min: 0,
    max: 1024,
  }),

  ragMaxDocuments: integer('TILTH_RAG_MAX_DOCUMENTS', 100_000, {
    section: 'Knowledge bases',
    sentence: 'Maximum number of documents in one knowledge base.',
    min: 1,
    max: 10_000_000,
  }),
  ragMaxDocumentMb: integer('TILTH_RAG_MAX_DOCUMENT_MB', 256, {
    section: 'Knowledge bases',
    sentence:
      'Maximum size in MiB of the file of one document; a larger upload is refused, and a larger file of a dataset fails.',
    min: 1,
    max: 1024 * 1024,
  }),
  ragMaxDocumentCharacters: integer('TILTH_RAG_MAX_DOCUMENT_CHARACTERS', 64 * 1024 * 1024, {
    section: 'Knowledge bases',
    sentence: 'Maximum number of characters in the text of one document; a document with more fails.',
    min: 1000,
    max: 64 * 1024 * 1024,
  }),
  ragHtml: choice('TILTH_RAG_HTML', ['MAIN_CONTENT', 'WHOLE'], 'MAIN_CONTENT', {
    section: 'Knowledge bases',
    sentence:
      'Which part of HTML documents is read from now on: the main content, without menus, headers, footers, sidebars, forms and link lists, which the receipt counts; or the whole page.',
  }),
  ragMaxReadings: integer('TILTH_RAG_MAX_READINGS', 3, {
    section: 'Knowledge bases',
    sentence:
      'Number of times that reading a document may crash the service before the document fails; after that, only a manual retry reads it again.',
    min: 1,
    max: 100,
  }),

  runLeaseSeconds: integer('TILTH_RUN_LEASE_SECONDS', 30, {
    section: 'Runs',
    sentence:
      'If several nodes share a PostgreSQL database: seconds after which the runs of a node that stopped responding move to another node.',
    min: 5,
    max: 3600,
  }),
  runRetentionDays: integer('TILTH_RUN_RETENTION_DAYS', 90, {
    section: 'Runs',
    sentence:
      'Days after which an ended run is deleted with its log and ledger; the latest 10 runs of each task are kept. 0: keep all.',
    min: 0,
    max: 36_500,
  }),
  runWorkers: integer('TILTH_RUN_WORKERS', 0, {
    section: 'Runs',
    sentence: 'Number of worker threads for runs; 0: one per processor core, minus one for the API.',
    min: 0,
    max: 1024,
  }),
  runWorkerMemoryMb: integer('TILTH_RUN_WORKER_MEMORY_MB', 1024, {
    section: 'Runs',
    sentence: 'Heap limit in MiB of a worker thread; a sample that needs more fails.',
    min: 64,
    max: 1024 * 1024,
  }),
  sampleTimeoutSeconds: integer('TILTH_SAMPLE_TIMEOUT_SECONDS', 30, {
    section: 'Runs',
    sentence: 'Seconds of CPU time that an operator may take for one sample; a sample that takes longer fails.',
    min: 1,
    max: 24 * 60 * 60,
  }),
  sandboxLane: choice('TILTH_SANDBOX_LANE', ['auto', 'safe'], 'auto', {
    section: 'Runs',
    sentence:
      'Where published operators run: in V8 isolates within bubblewrap if available, otherwise in QuickJS (auto); or always in QuickJS (safe).',
  }),

  rayUrl: optionalText('TILTH_RAY_URL', {
    section: 'Cluster',
    type: 'http:// or https:// URL',
    sentence:
      'Address of the head of a Ray cluster (its dashboard, as http://head:8265) that executes cleaning runs and profiles and drives synthesis runs; unset: this process does. Requires PostgreSQL, an object store and TILTH_SECRETS_KEY; see docs/beyond-one-machine.md.',
    check(text) {
      if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be an http:// or https:// URL');
    },
  }),
  rayToken: optionalText('TILTH_RAY_TOKEN', {
    section: 'Cluster',
    type: 'text',
    sentence: 'Authentication token of the Ray cluster (its RAY_AUTH_TOKEN).',
    secret: true,
  }),
  rayDirectory: optionalText('TILTH_RAY_DIRECTORY', {
    section: 'Cluster',
    type: 'absolute folder',
    sentence:
      'Folder of this program on the nodes of the cluster; unset: the same folder as on this machine, as when all use the same image.',
    check(text) {
      if (!isAbsolute(text)) throw new Error('must be an absolute folder like /app');
    },
  }),
  rayEnvironment: choice('TILTH_RAY_ENVIRONMENT', ['NODES', 'JOB'], 'NODES', {
    section: 'Cluster',
    sentence:
      'Where the driver of a run finds the URL of the database, TILTH_SECRETS_KEY and the credentials of the object store: in the environment of the nodes, or in that of the job, which is visible to everyone who may view the jobs of the cluster.',
  }),
  rayRuns: integer('TILTH_RAY_RUNS', 20, {
    section: 'Cluster',
    sentence:
      'Maximum number of runs that the cluster drives at a time, including synthesis runs; each has a driver process on the head node. Further runs wait.',
    min: 1,
    max: 1000,
  }),
  rayTaskCpus: integer('TILTH_RAY_TASK_CPUS', 1, {
    section: 'Cluster',
    sentence: 'Processor cores reserved on a node for each shard.',
    min: 1,
    max: 1024,
  }),
  rayTaskMemoryMb: integer('TILTH_RAY_TASK_MEMORY_MB', 1536, {
    section: 'Cluster',
    sentence:
      'Memory in MiB reserved on a node for each shard; must be more than TILTH_RUN_WORKER_MEMORY_MB. 0: only cores limit how many shards a node processes.',
    min: 0,
    max: 1024 * 1024,
  }),
  rayTaskGpus: integer('TILTH_RAY_TASK_GPUS', 0, {
    section: 'Cluster',
    sentence: 'GPUs reserved on a node for each shard.',
    min: 0,
    max: 64,
  }),
  rayShardMb: integer('TILTH_RAY_SHARD_MB', 32, {
    section: 'Cluster',
    sentence:
      'Input in MiB per shard of a run on the cluster; when a process is lost, the work on one shard is repeated.',
    min: 1,
    max: 1024,
  }),

  logLevel: choice('TILTH_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info', {
    section: 'Logs',
    sentence: 'Lowest level of log lines to write (JSON, to standard error); info writes one line per request.',
  }),
} as const;

type Settings = typeof settings;

/** The value of every setting. */
export type Config = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never };

/** Names a JSON file with settings, keyed as in `settings` (`{"port": 7700}`). */
export const configFileVariable = 'TILTH_CONFIG';

/** Variables of the tests share the prefix, but are not settings. */
const foreignPrefix = 'TILTH_TEST_';

/**
 * Reads the settings from the environment and, if `TILTH_CONFIG` names one, from a JSON file; the environment wins.
 * Throws SettingError for an unusable value and for an unknown name.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const file = env[configFileVariable];
  const fromFile = file === undefined ? {} : readConfigFile(file);
  const names = new Map<string, string>(Object.values(settings).map((setting) => [setting.env, setting.env]));
  for (const name of Object.keys(env)) {
    if (!name.startsWith('TILTH_') || name.startsWith(foreignPrefix) || name === configFileVariable) continue;
    if (!names.has(name)) throw new SettingError(`${name} is not a setting${suggestion(name, [...names.keys()])}`);
  }
  for (const key of Object.keys(fromFile)) {
    if (!Object.hasOwn(settings, key))
      throw new SettingError(`${key} in ${file} is not a setting${suggestion(key, Object.keys(settings))}`);
  }
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const inEnv = env[setting.env];
    const value = inEnv ?? fromFile[key];
    const where = inEnv === undefined ? `${key} in ${file}` : setting.env;
    values[key] = value === undefined ? setting.default : parse(setting, value, where);
  }
  return values as Config;
}

function parse(setting: Setting<unknown>, value: string, where: string): unknown {
  try {
    return setting.parse(value);
  } catch (error) {
    const shown = setting.secret ? '' : `, not ${withoutUser(JSON.stringify(value))}`;
    throw new SettingError(`${where} ${(error as Error).message}${shown}`);
  }
}

/** Removes everything before the @ from a quoted value, as in s3://user:password@bucket. */
function withoutUser(quoted: string): string {
  return quoted.replace(/^("(?:[a-z0-9+.-]+:\/\/)?).*@/i, '$1…@');
}

function readConfigFile(file: string): Record<string, string> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new SettingError(`The file ${file} named by ${configFileVariable} ${reason}`, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new SettingError(`The file ${file} named by ${configFileVariable} must contain a JSON object`);
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Array.isArray(value) ? value.join(',') : String(value)]),
  );
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = known.map((other) => ({ other, distance: editDistance(name, other) }));
  nearest.sort((a, b) => a.distance - b.distance);
  const [best] = nearest;
  return best !== undefined && best.distance <= 3 ? `; did you mean ${best.other}?` : '';
}

/** Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
