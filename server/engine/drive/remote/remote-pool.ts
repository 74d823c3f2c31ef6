import { setTimeout as pause } from 'node:timers/promises';
import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { SharedBlobs } from '../../../storage/blobs/index.ts';
import type { OrderUse } from '../pools/thread-pool.ts';
import { unknownStep, WorkerLost } from '../pools/worker-lost.ts';
import type { PoolTask, PoolTasks, WorkerPool } from '../shards/worker-pool.ts';
import { createClusterLink, type ClusterLinkOptions } from './cluster-link.ts';
import { findGuilty } from './loss-search.ts';
import { createOrderWriter, type OrderWriterOptions } from './order-writer.ts';
import {
  decodeResult,
  errorOf,
  isFullDisk,
  isOverSamples,
  isPassing,
  isRemoteTask,
  reasonOfFailure,
  stagedOf,
  type RemoteResult,
  type RemoteWork,
  type SampleWork,
} from './remote-order.ts';

export type RemotePoolOptions = Pick<
  ClusterLinkOptions,
  'lines' | 'resources' | 'countRuns' | 'onSlots' | 'onStandstill' | 'standstillMs'
> &
  Pick<OrderWriterOptions, 'blobs' | 'settings' | 'packagesOf'> & {
    /** Does the work that does not go to the cluster. */
    local: WorkerPool;
    shared: SharedBlobs;
    /** Called for each process and node lost during work, and when the work is given up because of it. */
    onLost?: (message: Reason) => void;
    /** First pause before a retry after a failure of the object store or a killed process. */
    pauseMs?: number;
  };

/** The outcome of work, after retries of everything that was not its fault. */
type Tried =
  | { kind: 'done'; result: RemoteResult }
  | { kind: 'survived' }
  | { kind: 'lost'; why: string; times: number };

/** Number of losses of each kind after which the work is to blame. */
type LossLimits = Record<'worker' | 'killed', number>;

/** Work is not to blame for lost nodes, but this many losses with the same work are no accident. */
const maxNodeLosses = 20;
/**
 * A process killed from outside may be an accident, such as a machine out of memory, or the fault of work that needed
 * too much memory: only repeated losses with growing pauses in between distinguish these. A process that ended by
 * itself is hardly lost twice by accident.
 */
const firstTries: LossLimits = { worker: 2, killed: 6 };
const triesOfSuspects: LossLimits = { worker: 1, killed: 3 };
/** For each try in the search for a sample, after its whole work has been lost that often. */
const triesOfSearch: LossLimits = { worker: 1, killed: 2 };
const maxStorageTries = 5;
/** Retries of work that found a full disk: another node may have room, and this one when its other work is done. */
const maxFullDisks = 12;
const longestRest = 4;
const maxMoves = 5;

const nowhere = { ordinal: -1, last: -1, step: unknownStep };

/**
 * A pool of the processes of a cluster behind a bridge: orders identify bytes by their objects, and the blobs in an
 * answer are received so that callers can adopt them.
 */
export function createRemoteWorkerPool(options: RemotePoolOptions): WorkerPool {
  const { local, blobs, shared, onLost, pauseMs = 1000 } = options;
  const link = createClusterLink({
    ...options,
    onUnwanted(answer) {
      // No caller will adopt its bytes.
      if (answer.kind !== 'done') return;
      const staged = stagedOf(decodeResult(answer.result));
      shared.receive(staged, performance.now());
      blobs.settle(staged).catch(() => {});
    },
  });
  const orders = createOrderWriter(options);

  /** Does the work despite lost nodes, moved bytes and pauses of the object store. */
  async function attempt(work: RemoteWork, lossLimits: LossLimits, signal: AbortSignal): Promise<Tried> {
    let gone: string[] = [];
    const losses = { worker: 0, killed: 0, node: 0 };
    for (let moves = 0, storageTries = 0; ;) {
      const { order, findGone } = await orders.write(work, gone);
      const since = performance.now();
      const reply = await link.send(order, signal);
      if (reply.type === 'lost') {
        const { cause, message } = reply;
        losses[cause] += 1;
        onLost?.(runSentences.WORK_LOST.reason({ what: subjectOf(work), why: message }));
        if (cause === 'node') {
          if (losses.node < maxNodeLosses) continue;
          throw new RunFailure(runSentences.NODES_LOST.reason({ times: losses.node, why: message }));
        }
        if (losses[cause] >= lossLimits[cause])
          return { kind: 'lost', why: message, times: losses.worker + losses.killed };
        // The first retry is immediate: mostly only one process was affected.
        if (losses.killed > 1) await rest(losses.killed - 1, signal);
        continue;
      }
      const { answer } = reply;
      switch (answer.kind) {
        case 'done': {
          const result = decodeResult(answer.result);
          shared.receive(stagedOf(result), since);
          return { kind: 'done', result };
        }
        case 'survived':
          return answer;
        case 'lost':
          throw new WorkerLost(answer.reason, answer);
        case 'moved':
          // A sweep moved the bytes; if not, they are missing, which the work itself must report.
          gone = [...gone, ...(await findGone(answer.ids))];
          if ((moves += 1) > maxMoves) throw new RunFailure(runSentences.BYTES_MOVED.reason({}));
          continue;
        case 'failed':
          if (!isPassing(answer)) throw errorOf(answer);
          storageTries += 1;
          if (isFullDisk(answer)) {
            if (storageTries >= maxFullDisks)
              throw new RunFailure(runSentences.NO_DISK_SPACE.reason({ why: reasonOfFailure(answer) }));
          } else if (storageTries >= maxStorageTries) throw errorOf(answer);
          if (storageTries === 1)
            onLost?.(runSentences.WORK_PUT_OFF.reason({ what: subjectOf(work), why: answer.message }));
          await rest(Math.min(storageTries - 1, longestRest), signal);
      }
    }
  }

  async function rest(doublings: number, signal: AbortSignal): Promise<void> {
    await pause(pauseMs * 2 ** doublings, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  async function perform(work: RemoteWork, signal: AbortSignal): Promise<RemoteResult> {
    const suspect = isOverSamples(work) ? suspectOf(work) : undefined;
    const tried = await attempt(work, suspect === undefined ? firstTries : triesOfSuspects, signal);
    if (tried.kind === 'done') return tried.result;
    if (tried.kind === 'survived') throw new Error('Work was to end early that nobody asked to');
    const { times, why } = tried;
    const loss = runSentences.PROCESS_LOST.reason({ why });
    if (suspect !== undefined) throw new WorkerLost(loss, { ordinal: suspect, last: suspect, step: unknownStep });
    if (isOverSamples(work)) return search(work, loss, signal);
    onLost?.(runSentences.WORK_GIVEN_UP.reason({ times, what: subjectOf(work), why }));
    throw new WorkerLost(loss, nowhere);
  }

  /** Finds the sample that processes are lost over, and throws WorkerLost with it. */
  async function search(work: SampleWork, loss: Reason, signal: AbortSignal): Promise<RemoteResult> {
    const guilty = await findGuilty(async (until) => {
      const limited = { task: work.task, job: { ...work.job, until } } as SampleWork;
      return (await attempt(limited, triesOfSearch, signal)).kind === 'lost';
    });
    if (guilty !== undefined) throw new WorkerLost(loss, { ...nowhere, ordinal: guilty, last: guilty });
    const tried = await attempt(work, firstTries, signal);
    if (tried.kind === 'done') return tried.result;
    throw new WorkerLost(loss, nowhere);
  }

  return {
    get size() {
      return link.places;
    },
    run: async <K extends PoolTask>(
      task: K,
      job: PoolTasks[K]['job'],
      signal: AbortSignal,
      use?: OrderUse,
    ): Promise<PoolTasks[K]['result']> => {
      if (use?.models !== undefined || !isRemoteTask(task)) return local.run(task, job, signal, use);
      return perform({ task, job } as RemoteWork, signal);
    },
    async close() {
      link.close();
      await orders.close();
      await local.close();
    },
  };
}

/** How messages identify the work: by its file, or by the step that compares samples of all files. */
function subjectOf(work: RemoteWork): string {
  switch (work.task) {
    case 'unpack':
    case 'cut':
      return work.job.file.path;
    case 'scan':
      return work.job.path;
    case 'partition':
      return work.job.recipe.steps[work.job.step]?.operatorId ?? '';
    default: {
      const [first, ...others] = work.job.pieces;
      return `${first?.path ?? ''}${others.length === 0 ? '' : ` + ${others.length}`}`;
    }
  }
}

/** The sample that a worker was lost over before, if it is a single one that may still be tried. */
function suspectOf({ job: { suspects, poison } }: SampleWork): number | undefined {
  if (suspects === undefined || suspects.from !== suspects.to || suspects.from < 0) return undefined;
  return poison.some(({ ordinal }) => ordinal === suspects.from) ? undefined : suspects.from;
}
