import { setTimeout as pause } from 'node:timers/promises';
import { runSentences } from '../../kernel/sentences.ts';
import { RunFailure } from '../../runs/index.ts';
import type { SharedBlobs } from '../../storage/blobs/index.ts';
import type { ModelUse } from '../workers/model-calls.ts';
import { unknownStep, WorkerLost } from '../workers/worker-lost.ts';
import type { PoolTask, PoolTasks, WorkerPool } from '../workers/worker-pool.ts';
import { createClusterLink, type ClusterLinkOptions } from './cluster-link.ts';
import { findGuilty } from './loss-search.ts';
import { createOrderWriter, type OrderWriterOptions } from './order-writer.ts';
import {
  decodeResult,
  errorOf,
  isOverSamples,
  isPassing,
  isRemoteTask,
  stagedOf,
  type RemoteResult,
  type RemoteWork,
  type SampleWork,
} from './remote-order.ts';

export type RemotePoolOptions = Pick<ClusterLinkOptions, 'lines' | 'resources' | 'onSlots'> &
  Pick<OrderWriterOptions, 'settings' | 'packagesOf'> & {
    /** Does what does not go to the cluster. */
    local: WorkerPool;
    blobs: OrderWriterOptions['blobs'] & SharedBlobs;
    /** Called for each process and node that is lost over work. */
    onLost?: (message: string) => void;
    /** First pause before work is tried again that the object store failed. */
    pauseMs?: number;
  };

/** What became of work, after everything that is no fault of its own. */
type Tried = { kind: 'done'; result: RemoteResult } | { kind: 'survived' } | { kind: 'lost'; message: string };

/** Work is not to blame for the loss of nodes; so many losses of the same work are no accident of theirs. */
const maxNodeLosses = 20;
/** A process may be lost by accident; so many over the same work are no accident. */
const maxProcessLosses = 2;
const maxStorageTries = 5;
const maxMoves = 5;

const nowhere = { ordinal: -1, last: -1, step: unknownStep };

/**
 * Works by processes of a cluster behind a bridge: an order names bytes by their objects, and the blobs that an answer names
 * are taken over for adoption.
 */
export function createRemoteWorkerPool(options: RemotePoolOptions): WorkerPool {
  const { local, blobs, onLost, pauseMs = 1000 } = options;
  const link = createClusterLink({
    ...options,
    onUnwanted(answer) {
      // Nobody adopts its bytes.
      if (answer.kind !== 'done') return;
      const staged = stagedOf(decodeResult(answer.result));
      blobs.receive(staged, performance.now());
      blobs.settle(staged).catch(() => {});
    },
  });
  const orders = createOrderWriter(options);

  /** Has work done, whatever nodes are lost and bytes are moved meanwhile, and however long the object store pauses. */
  async function attempt(work: RemoteWork, signal: AbortSignal): Promise<Tried> {
    let gone: string[] = [];
    for (let nodes = 0, moves = 0, storageTries = 0; ;) {
      const { order, findGone } = await orders.write(work, gone);
      const since = performance.now();
      const reply = await link.send(order, signal);
      if (reply.type === 'lost') {
        const { cause, message } = reply;
        onLost?.(message);
        if (cause === 'worker') return { kind: 'lost', message };
        if ((nodes += 1) < maxNodeLosses) continue;
        throw new RunFailure(runSentences.NODES_LOST({ times: nodes, why: message }));
      }
      const { answer } = reply;
      switch (answer.kind) {
        case 'done': {
          const result = decodeResult(answer.result);
          blobs.receive(stagedOf(result), since);
          return { kind: 'done', result };
        }
        case 'survived':
          return answer;
        case 'lost':
          throw new WorkerLost(answer.message, answer);
        case 'moved':
          // A sweep has put the bytes elsewhere; if it has not, they are missing, which is for the work to tell.
          gone = [...gone, ...(await findGone(answer.ids))];
          if ((moves += 1) > maxMoves) throw new RunFailure(runSentences.BYTES_MOVED({}));
          continue;
        case 'failed':
          if (!isPassing(answer) || (storageTries += 1) >= maxStorageTries) throw errorOf(answer);
          await pause(pauseMs * 2 ** (storageTries - 1), undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  async function perform(work: RemoteWork, signal: AbortSignal): Promise<RemoteResult> {
    for (let losses = 1; ; losses += 1) {
      const tried = await attempt(work, signal);
      if (tried.kind === 'done') return tried.result;
      if (tried.kind === 'survived') throw new Error('Work was to end early that nobody asked to');
      const message = runSentences.PROCESS_LOST({ why: tried.message });
      if (!isOverSamples(work)) {
        if (losses < maxProcessLosses) continue;
        throw new WorkerLost(message, nowhere);
      }
      const suspect = suspectOf(work);
      if (suspect !== undefined) throw new WorkerLost(message, { ordinal: suspect, last: suspect, step: unknownStep });
      if (losses >= maxProcessLosses) return search(work, message, signal);
    }
  }

  /** Throws WorkerLost with the sample that processes are lost over. */
  async function search(work: SampleWork, message: string, signal: AbortSignal): Promise<RemoteResult> {
    const guilty = await findGuilty(async (until) => {
      const limited = { task: work.task, job: { ...work.job, until } } as SampleWork;
      return (await attempt(limited, signal)).kind === 'lost';
    });
    if (guilty !== undefined) throw new WorkerLost(message, { ...nowhere, ordinal: guilty, last: guilty });
    const tried = await attempt(work, signal);
    if (tried.kind === 'done') return tried.result;
    throw new WorkerLost(message, nowhere);
  }

  return {
    get size() {
      return link.places;
    },
    run: async <K extends PoolTask>(
      task: K,
      job: PoolTasks[K]['job'],
      signal: AbortSignal,
      models?: ModelUse,
    ): Promise<PoolTasks[K]['result']> => {
      if (models !== undefined || !isRemoteTask(task)) return local.run(task, job, signal, models);
      return perform({ task, job } as RemoteWork, signal);
    },
    async close() {
      link.close();
      await orders.close();
      await local.close();
    },
  };
}

/** The sample that a worker was lost over before, if it is only one and may still be tried. */
function suspectOf({ job: { suspects, poison } }: SampleWork): number | undefined {
  if (suspects === undefined || suspects.from !== suspects.to || suspects.from < 0) return undefined;
  return poison.some(({ ordinal }) => ordinal === suspects.from) ? undefined : suspects.from;
}
