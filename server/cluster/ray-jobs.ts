import { runSentences } from '../kernel/sentences/index.ts';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { findBuild } from '../kernel/built-modules.ts';
import { ClusterProblem, type DriverJob, type DriverKey, type RunCluster } from '../runs/index.ts';
import { createRayCalls } from './ray-calls.ts';

export type RayOptions = {
  /** Address of the head, such as http://head:8265, and the token that it requires. */
  url: string;
  token: string | undefined;
  maxRuns: number;
  /** Directory of this program on the nodes; default: the same as here. */
  directory: string | undefined;
  /** Environment variables of the driver. Anyone who may read the cluster's jobs can read them. */
  environment: Readonly<Record<string, string>>;
  /** Distinguishes the jobs of this installation from those of others on the same cluster. */
  installation: string;
};

type RayJob = {
  submission_id: string | null;
  status: string;
  message: string | null;
  end_time: number | null;
  metadata: Record<string, string> | null;
};

const prefix = 'tilth-';
/**
 * Time after which Ray kills a job being stopped: longer than the bridge needs, which is longer than its driver needs.
 */
const stopSeconds = 130;
const idPattern = /^tilth-(.+)-(\d+)$/;
const ended = new Set(['STOPPED', 'SUCCEEDED', 'FAILED']);
const ownDirectory = fileURLToPath(new URL('../..', import.meta.url));

/** Creates access to the jobs of a Ray cluster through its REST API. */
export function createRayJobs(options: RayOptions): RunCluster {
  const { maxRuns, environment, installation } = options;
  const call = createRayCalls(options);
  const metadata = { tilth_installation: installation };

  async function find(key: DriverKey): Promise<DriverJob | undefined> {
    const { status, body } = await call('GET', pathOf(key));
    return status === 404 ? undefined : jobOf(parse(body) as RayJob);
  }

  return {
    address: options.url,
    maxRuns,
    async start(key, signal) {
      const runtime_env = { env_vars: { ...environment, RAY_JOB_STOP_WAIT_TIME_S: String(stopSeconds) } };
      const entrypoint = entrypointOf(key, options.directory);
      try {
        await call('POST', '/api/jobs/', { submission_id: idOf(key), entrypoint, runtime_env, metadata });
      } catch (error) {
        // The job may have been created by an earlier attempt whose answer was lost.
        signal.throwIfAborted();
        const known = await find(key).catch(() => undefined);
        if (known === undefined) throw error;
      }
    },
    find,
    async list() {
      const { status, body } = await call('GET', '/api/jobs/');
      if (status === 404) throw new ClusterProblem(runSentences.CLUSTER_WITHOUT_JOBS.reason({}), { isRefusal: true });
      return (parse(body) as RayJob[])
        .filter((job) => job.metadata?.['tilth_installation'] === installation)
        .flatMap((job) => jobOf(job) ?? []);
    },
    async stop(key) {
      await call('POST', `${pathOf(key)}/stop`);
    },
    async forget(key) {
      await call('DELETE', pathOf(key));
    },
  };
}

/**
 * The shell command of a job. Nodes with the same image have this process's Node at the same path; others find theirs
 * by name (see `processes.py`). They run the build of this process if they have the same one, which each process
 * checks; else the sources.
 */
function entrypointOf({ runId, epoch }: DriverKey, directory: string | undefined): string {
  const folder = (directory ?? ownDirectory).replace(/\/+$/, '');
  const program = `${quote(process.execPath)} ${quote(`${folder}/server/main.ts`)}`;
  const build = directory === undefined ? findBuild() : undefined;
  const ofBuild = build === undefined ? '' : ` --build ${quote(build.folder)} ${build.digest}`;
  const drive = `${program} drive --run ${quote(runId)} --epoch ${epoch}${ofBuild}`;
  return `exec python3 ${quote(`${folder}/server/cluster/bridge.py`)} ${drive} -- ${program} worker --stdio${ofBuild}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function idOf({ runId, epoch }: DriverKey): string {
  return `${prefix}${runId}-${epoch}`;
}

function pathOf(key: DriverKey): string {
  return `/api/jobs/${encodeURIComponent(idOf(key))}`;
}

function jobOf({ submission_id, status, message, end_time }: RayJob): DriverJob | undefined {
  const [, runId, epoch] = idPattern.exec(submission_id ?? '') ?? [];
  if (runId === undefined) return undefined;
  return {
    runId,
    epoch: Number(epoch),
    isLive: !ended.has(status),
    message: reasonIn(stripVTControlCharacters(message ?? status)),
    endedAt: end_time === null ? undefined : new Date(end_time),
  };
}

/** Separates the sentence in Ray's message about an ended job from the last lines of its output. */
const output = /,? last available logs \(truncated to [\d,]+ chars\):/;
/**
 * Lines of Ray, such as `2026-11-26 21:00:00,123\tINFO worker.py:1879 -- …` and `(raylet) …`, and of the driver's log.
 */
const ofRay =
  /^\s*(?:Running entrypoint for job |\d{4}-\d\d-\d\d[ T][\d:,.]+\s|\[\d{4}-\d\d-\d\d |\((?:raylet|pid=|autoscaler|\w+ pid=)|\{"level":)/;

/** The sentence, and the last lines that the job itself printed. */
function reasonIn(message: string): string {
  const { index, 0: found } = output.exec(message) ?? { index: message.length, 0: '' };
  const lines = message.slice(index + found.length).split('\n');
  const own = lines.filter((line) => line.trim() !== '' && !ofRay.test(line)).slice(-5);
  return [message.slice(0, index), ...own].join('\n');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ClusterProblem(runSentences.CLUSTER_NO_JSON.reason({}), {
      isRefusal: true,
      cause: error,
    });
  }
}
