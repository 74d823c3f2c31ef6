import { isoNow, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Database } from '../storage/database/database.ts';
import {
  lockNodes,
  newestStep,
  NewerDatabaseError,
  requireKnownSteps,
  runWaitingContracts,
} from '../storage/database/migrate.ts';
import type { Signals } from '../storage/database/signals.ts';
import { deleteDeadNodes, deleteNode, insertNode, listNodes, touchNode, type SeenNode } from './queries/nodes.ts';

/** A process that serves the API, as administrators see it. */
export type NodeView = {
  id: string;
  version: string;
  address: string;
  startedAt: string;
  /** Last heartbeat, by the database's clock. */
  seenAt: string;
  state: 'STARTING' | 'SERVING' | 'DRAINING' | 'SILENT';
  /** Whether this node serves the current request. */
  isSelf: boolean;
  /** The data folder, which leases of runs name. */
  place: string;
};

/** The processes that serve the API over one database. */
export type Nodes = {
  /** Id of this process; changes after the process was declared dead. */
  readonly id: string;
  /** This node's share of a limit for all nodes. The shares add up to the limit, but none is below 1. */
  shareOf(limit: number): number;
  /** Whether a node may still be running. */
  isAlive(id: string): boolean;
  list(): Promise<NodeView[]>;
  /** Registers this process and starts its heartbeat. Throws NewerDatabaseError. */
  start(): Promise<void>;
  /** Announces that this process now accepts calls at this address. */
  serve(address: string): void;
  /** Announces that this process accepts no new calls, so that other nodes may use its share. */
  drain(): void;
  leave(): Promise<void>;
};

const beatMs = 2_000;
/** A node silent for this long gets no share of limits. */
const silentMs = 10_000;
/** A node silent for this long is declared dead and must rejoin before it continues. */
const deadMs = 30_000;
const contractsEveryMs = 30_000;

export type NodesOptions = {
  db: Database;
  clock: Clock;
  signals: Signals;
  version: string;
  place: string;
  logger: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** Called when a newer release has changed the database incompatibly. */
  onOutdated(error: Error): void;
};

export function createNodes(options: NodesOptions): Nodes {
  const { db, clock, signals, version, place, logger, onOutdated } = options;
  const isShared = db.dialect === 'postgres';
  const startedAt = isoNow(clock);
  const state: {
    id: string;
    address: string;
    isDraining: boolean;
    /** Nodes that may be running, as of the last look. */
    alive: ReadonlySet<string>;
    /** Nodes that accept calls, in the same order on all nodes. */
    serving: readonly string[];
    timer: NodeJS.Timeout | undefined;
    beating: Promise<void> | undefined;
    isStale: boolean;
    isFailing: boolean;
    contractsAt: number;
    waitingFor: string;
    forget: () => void;
  } = {
    id: newId(),
    address: '',
    isDraining: false,
    alive: new Set(),
    serving: [],
    timer: undefined,
    beating: undefined,
    isStale: false,
    isFailing: false,
    contractsAt: 0,
    waitingFor: '',
    forget: () => {},
  };

  function isServing(): boolean {
    return state.address !== '' && !state.isDraining;
  }

  async function join(): Promise<void> {
    await db.write(async (tx) => {
      await lockNodes(tx);
      await requireKnownSteps(tx, db.dialect);
      await insertNode(tx, {
        id: state.id,
        place,
        version,
        newest_step: newestStep,
        address: state.address,
        started_at: startedAt,
        serving: isServing() ? 1 : 0,
      });
    });
    await deleteDeadNodes(db.read, { silentMs: deadMs, place, exceptId: state.id });
    await look();
    signals.send('nodes-changed', state.id);
  }

  async function look(): Promise<void> {
    const nodes = await listNodes(db.read);
    state.alive = new Set(nodes.map(({ id }) => id));
    // A node that accepts no new calls keeps its share for the last ones.
    if (!isServing()) return;
    state.serving = nodes
      .filter((node) => node.id === state.id || (node.serving === 1 && node.silent_ms < silentMs))
      .map(({ id }) => id)
      .toSorted();
  }

  async function beatOnce(): Promise<void> {
    const { id, address } = state;
    if (!(await touchNode(db.read, { id, address, serving: isServing() ? 1 : 0 }))) {
      // Other nodes treat its work as abandoned, so it continues under a new id.
      state.id = newId();
      await join();
      logger.info({ nodeId: state.id }, 'this node was taken for dead, and has joined again');
    }
    await deleteDeadNodes(db.read, { silentMs: deadMs, place, exceptId: state.id });
    await look();
    if (performance.now() >= state.contractsAt) await contract();
  }

  async function contract(): Promise<void> {
    state.contractsAt = performance.now() + contractsEveryMs;
    const waiting = await runWaitingContracts(db);
    const waitingFor = JSON.stringify(waiting?.nodes ?? '');
    if (waiting !== undefined && waitingFor !== state.waitingFor)
      logger.info(waiting, `the migration ${waiting.step} waits until the nodes of older releases have ended`);
    state.waitingFor = waitingFor;
  }

  /** One heartbeat at a time; a request during a heartbeat triggers another. */
  function beat(): void {
    state.isStale = true;
    if (state.beating !== undefined || state.timer === undefined) return;
    state.isStale = false;
    state.beating = beatOnce()
      .then(
        () => void (state.isFailing = false),
        (error: unknown) => {
          if (error instanceof NewerDatabaseError) return onOutdated(error);
          if (!state.isFailing) logger.error({ err: error }, 'other nodes could not be looked for; trying again');
          state.isFailing = true;
        },
      )
      .finally(() => {
        state.beating = undefined;
        if (state.isStale) beat();
      });
  }

  function announce(): void {
    beat();
    void state.beating?.then(() => signals.send('nodes-changed', state.id));
  }

  return {
    get id() {
      return state.id;
    },
    shareOf(limit) {
      const rank = state.serving.indexOf(state.id);
      const count = state.serving.length;
      if (!isShared || rank === -1 || count < 2) return limit;
      return Math.max(1, Math.floor(limit / count) + (rank < limit % count ? 1 : 0));
    },
    isAlive: (id) => id === state.id || state.alive.has(id),
    async list() {
      if (isShared) return (await listNodes(db.read)).map((row) => toNode(row, state.id));
      const now = isoNow(clock);
      const only = { id: state.id, version, address: state.address, startedAt, seenAt: now, place };
      return [{ ...only, state: stateOf(state.address, isServing()), isSelf: true }];
    },
    async start() {
      if (!isShared || state.timer !== undefined) return;
      await join();
      state.timer = setInterval(beat, beatMs).unref();
      state.forget = signals.on('nodes-changed', beat);
    },
    serve(address) {
      state.address = address;
      announce();
    },
    drain() {
      state.isDraining = true;
      announce();
    },
    async leave() {
      state.forget();
      clearInterval(state.timer);
      state.timer = undefined;
      await state.beating;
      if (!isShared) return;
      // A stopping process can't wait for an unreachable database: other nodes notice its silence.
      await deleteNode(db.read, state.id).catch(() => {});
      signals.send('nodes-changed', state.id);
    },
  };
}

function toNode(row: SeenNode, selfId: string): NodeView {
  const { id, version, address, place } = row;
  const state = row.silent_ms >= silentMs ? 'SILENT' : stateOf(address, row.serving === 1);
  const times = { startedAt: row.started_at, seenAt: new Date(row.seen_at).toISOString() };
  return { id, version, address, place, ...times, state, isSelf: id === selfId };
}

function stateOf(address: string, isServing: boolean): NodeView['state'] {
  return isServing ? 'SERVING' : address === '' ? 'STARTING' : 'DRAINING';
}
