import { isAbsolute } from 'node:path';
import { choice, integer, optionalText } from './setting-types.ts';

/** Runs, and the cluster that does their work. */
export const runSettings = {
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
    sentence:
      'Number of workers for runs; 0: one per processor core in processes, and with threads minus one, which is left to the API.',
    min: 0,
    max: 1024,
  }),
  runWorkersIn: choice('TILTH_RUN_WORKERS_IN', ['processes', 'threads'], 'processes', {
    section: 'Runs',
    sentence:
      'Where the workers of runs and previews live: each in a process of its own (processes), or as threads in the process of the service (threads). A sample that ends its process, such as by native code that needs too much memory, fails alone in a process; with threads it ends the service. A process takes about 100 MiB of memory more than a thread while it works, and ends after a minute without work.',
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
} as const;
