import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Outgoing } from '../outgoing/index.ts';
import type { Secrets } from '../secrets/index.ts';
import type { Database } from '../storage/database/database.ts';
import { createMakeCall, type MakeCall } from './attempts.ts';
import { createBuiltInProvider } from './builtin/builtin-provider.ts';
import { createHashEmbedder } from './builtin/hash-embedder.ts';
import { createCallSlots } from './call-slots.ts';
import { createCallRetention } from './call-retention.ts';
import type { ModelsLogger } from './models-logger.ts';
import { createChats, type Chats } from './chats.ts';
import { createEmbeddings, type Embeddings } from './embeddings.ts';
import { createLedger } from './ledger.ts';
import { testModel, type ModelTest } from './model-test.ts';
import { createProcesses } from './processes.ts';
import { createReranking, type Reranking } from './reranking.ts';
import { createModelRegistry, type ModelRegistry } from './registry.ts';
import { usageOf, usageOfRuns, type Figures, type ModelUsage } from './usage.ts';

/** Models: their configuration, and calls that are paid for once and never exceed a budget. */
export type Models = Chats &
  Embeddings &
  Reranking & {
    registry: ModelRegistry;
    test(reference: string): Promise<ModelTest>;
    usage(reference: string): Promise<ModelUsage>;
    /** Usage of runs by model id: every attempt counts, whatever its outcome. */
    usageOfRuns(modelIds: readonly string[], runIds: readonly string[]): Promise<Figures>;
    /** Erases replies that were not used for a while; also runs automatically every hour. */
    eraseUnused(): Promise<number>;
    /** Ends the calls of dead processes, now and periodically. */
    start(): Promise<void>;
    /** Ends the calls of another process that is known to have died, before its leases expire. */
    endProcess(id: string): Promise<void>;
    /** Waits at most this long for the replies to calls that were sent, whose callers have ended. */
    awaitReplies(limitMs: number): Promise<void>;
    /** Waits for pending writes. */
    stop(): Promise<void>;
  };

/** How often a process looks for calls of dead processes. */
const recoverEveryMs = 30_000;
/** How long a stop waits for calls whose connections were closed before. */
const stopMs = 3_000;

export function createModels(options: {
  db: Database;
  clock: Clock;
  logger: ModelsLogger;
  secrets: Secrets;
  outgoing: Pick<Outgoing, 'exchange'>;
  modelsDirectory: string;
  /** Identifies this process to others; must differ at each start. */
  processId?: string | undefined;
  /** Whether no other process can use this database; default: with SQLite. */
  alone?: boolean;
  /** Days that a reply is kept after its last use; 0 (the default) keeps it forever. */
  replyRetentionDays?: number;
}): Models {
  const { db, clock, logger, secrets, outgoing, modelsDirectory, alone = db.dialect === 'sqlite' } = options;
  const processes = createProcesses({ db, clock, alone, id: options.processId });
  const ledger = createLedger({ db, clock, processes });
  const slots = createCallSlots({
    db,
    clock,
    processId: processes.id,
    onError: (error) => logger.error({ err: error }, 'slots of a model could not be shared out; it is tried again'),
  });
  const embedder = createHashEmbedder();
  const builtInProvider = createBuiltInProvider(embedder);
  const registry = createModelRegistry({ db, clock, secrets, outgoing, builtInProvider, modelsDirectory });
  const makeAnyCall = createMakeCall({ ledger, slots, clock });
  // A call may go on after its caller has ended.
  const makeCall: MakeCall = (...args) => counted(makeAnyCall(...args));
  const retention = createCallRetention({ db, clock, logger, days: options.replyRetentionDays ?? 0 });
  const chats = createChats({ registry, ledger, makeCall, recover, onKnown: retention.used });
  const embeddings = createEmbeddings({ registry, makeCall });
  const reranking = createReranking({ registry, makeCall });
  let timer: NodeJS.Timeout | undefined;
  let alive: NodeJS.Timeout | undefined;
  const state = { underWay: 0 };

  async function recover(): Promise<void> {
    const calls = await ledger.recover();
    if (calls > 0) logger.info({ calls }, 'calls of models that a dead process left behind were ended');
  }

  /** Keeps this process counted as alive while calls are running, however long they take. */
  async function counted<T>(work: Promise<T>): Promise<T> {
    state.underWay += 1;
    alive ??= setInterval(() => {
      if (state.underWay > 0) processes.stayAlive().catch(() => {});
    }, 2_000).unref();
    try {
      return await work;
    } finally {
      state.underWay -= 1;
    }
  }

  async function untilIdle(limitMs: number): Promise<void> {
    for (let waitedMs = 0; state.underWay > 0 && waitedMs < limitMs; waitedMs += 20) await sleep(20);
  }

  return {
    registry,
    chat: (...args) => counted(chats.chat(...args)),
    embed: (...args) => counted(embeddings.embed(...args)),
    rerank: (...args) => counted(reranking.rerank(...args)),
    test: (reference) =>
      counted(testModel({ registry, chats, embeddings, reranking, pausedUntil: slots.pausedUntil }, reference)),
    async usage(reference) {
      const { id } = await registry.get(reference);
      return usageOf(db, id);
    },
    usageOfRuns: (modelIds, runIds) => usageOfRuns(db, modelIds, runIds),
    eraseUnused: retention.sweep,
    async start() {
      await recover();
      retention.start();
      timer = setInterval(() => {
        recover()
          .then(() => processes.sweep())
          .catch((error: unknown) => logger.error({ err: error }, 'looking for calls of dead processes failed'));
      }, recoverEveryMs).unref();
    },
    async endProcess(id) {
      await processes.end(id);
      await recover();
    },
    awaitReplies: untilIdle,
    async stop() {
      clearInterval(timer);
      clearInterval(alive);
      await untilIdle(stopMs);
      await retention.stop();
      await ledger.idle();
      await slots.close();
      await embedder.close();
      if (state.underWay === 0) await processes.leave();
    },
  };
}
