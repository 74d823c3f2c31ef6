import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { createCallWindow, type CallOutcome, type CallWindow } from './call-window.ts';
import { createSlotShares, type SlotShare } from './slot-shares.ts';
import { type Waiter, waitIn } from './waiters.ts';

/** Permission for one concurrent call. */
export type Slot = {
  /**
   * Must be called once. `sentMs`: when the request was sent, so that only the provider's time counts. `pauseMs`: how
   * long the provider asked all callers to wait.
   */
  release(outcome: CallOutcome, options?: { sentMs?: number; pauseMs?: number | undefined }): void;
};

/**
 * Slots for concurrent calls: at most a model's limit over all processes. Each process uses as many as the provider can
 * handle.
 */
export type CallSlots = {
  /**
   * Waits for a place in the queue for slots, which is as long as the number of calls that may be in flight. A call's
   * records are written while it is queued, so that it holds no slot meanwhile. Returns the function that leaves the
   * queue; call it once.
   */
  enter(modelId: string, ceiling: number, signal?: AbortSignal): Promise<() => void>;
  /** Waits for a slot or the abort of the signal. `ceiling`: the model's limit. */
  acquire(modelId: string, ceiling: number, signal?: AbortSignal): Promise<Slot>;
  /** Until when this process starts no call of a model, because its provider asked all callers to wait. */
  pausedUntil(modelId: string): Date | undefined;
  /** Returns the slots that this process holds. */
  close(): Promise<void>;
};

type ModelState = SlotShare & {
  window: CallWindow;
  waiting: Set<Waiter<Slot>>;
  /** Calls in the queue, and calls that wait to join it. */
  inLine: number;
  joining: Set<Waiter<() => void>>;
  sharing: Promise<void> | undefined;
  /** Number of slots last requested: requesting no more than that changes nothing before the next beat. */
  asked: number;
  idleSince: number;
  wake: NodeJS.Timeout | undefined;
};

/** How often a process that holds slots checks the demand of others. */
const beatMs = 1_000;
const idleMs = 3_000;

export function createCallSlots(options: {
  db: Database;
  clock: Clock;
  processId: string;
  onError: (error: unknown) => void;
}): CallSlots {
  const { db, clock, processId, onError } = options;
  const models = new Map<string, ModelState>();
  const nowMs = (): number => clock.now().getTime();
  const shares = createSlotShares({ db, processId, nowMs });
  let timer: NodeJS.Timeout | undefined;

  function stateOf(modelId: string): ModelState {
    const known = models.get(modelId);
    if (known !== undefined) return known;
    const state: ModelState = {
      window: createCallWindow(() => state.ceiling),
      ceiling: 1,
      inFlight: 0,
      waiting: new Set(),
      inLine: 0,
      joining: new Set(),
      held: 0,
      allowed: 0,
      expiresAt: 0,
      pausedUntil: 0,
      sharing: undefined,
      asked: 0,
      idleSince: 0,
      wake: undefined,
    };
    models.set(modelId, state);
    timer ??= setInterval(beat, beatMs);
    return state;
  }

  function beat(): void {
    for (const [modelId, state] of models) {
      // Kept until its pause ends.
      const isIdle = state.inFlight === 0 && state.inLine === 0 && nowMs() >= state.pausedUntil;
      if (!isIdle) state.idleSince = 0;
      else if (state.idleSince === 0) state.idleSince = nowMs();
      if (isIdle && nowMs() - state.idleSince > idleMs && state.sharing === undefined) {
        models.delete(modelId);
        if (state.held > 0) shares.remove(modelId).catch(onError);
      } else share(modelId, state);
    }
    if (models.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Updates in the database how many slots this process may have: its fair share, and what others leave unused. */
  function share(modelId: string, state: ModelState): void {
    if (state.sharing !== undefined) return;
    state.asked = wants(state);
    state.sharing = shares
      .update(modelId, state, state.asked)
      .catch(onError)
      .finally(() => {
        state.sharing = undefined;
        admit(modelId, state);
      });
  }

  /** Twice the current demand, so that growth does not need a request per slot; never more than the window. */
  function wants({ window, inFlight, inLine }: ModelState): number {
    return Math.min(window.size, Math.max(1, 2 * (inFlight + inLine)));
  }

  function mayStart(state: ModelState): boolean {
    return (
      state.inFlight < Math.min(state.window.size, state.allowed) &&
      nowMs() < state.expiresAt &&
      nowMs() >= state.pausedUntil
    );
  }

  function admit(modelId: string, state: ModelState): void {
    for (const waiter of state.waiting) {
      if (!mayStart(state)) break;
      state.waiting.delete(waiter);
      waiter.resolve(start(modelId, state));
    }
    if (state.waiting.size === 0) return;
    const pauseMs = state.pausedUntil - nowMs();
    if (pauseMs > 0) {
      clearTimeout(state.wake);
      state.wake = setTimeout(() => admit(modelId, state), Math.min(pauseMs, 60_000));
    } else if (wants(state) > Math.max(state.held, state.asked) || nowMs() >= state.expiresAt) share(modelId, state);
  }

  function mayJoin({ inLine, window }: ModelState): boolean {
    return inLine < window.size;
  }

  function join(modelId: string, state: ModelState): () => void {
    state.inLine += 1;
    if (wants(state) > Math.max(state.held, state.asked) || nowMs() >= state.expiresAt) share(modelId, state);
    return () => {
      state.inLine -= 1;
      advance(modelId, state);
    };
  }

  function advance(modelId: string, state: ModelState): void {
    for (const waiter of state.joining) {
      if (!mayJoin(state)) break;
      state.joining.delete(waiter);
      waiter.resolve(join(modelId, state));
    }
  }

  function start(modelId: string, state: ModelState): Slot {
    state.inFlight += 1;
    const startedMs = performance.now();
    return {
      release(outcome, { sentMs = startedMs, pauseMs } = {}) {
        state.inFlight -= 1;
        state.window.onEnd({ startedMs: sentMs, endedMs: performance.now(), outcome });
        if (pauseMs !== undefined && pauseMs > 0) {
          state.pausedUntil = Math.max(state.pausedUntil, nowMs() + pauseMs);
          share(modelId, state);
        }
        // The slots to be returned are free now.
        if (state.allowed < state.held && state.inFlight <= state.allowed) share(modelId, state);
        admit(modelId, state);
        // The window may have grown.
        advance(modelId, state);
      },
    };
  }

  return {
    enter(modelId, ceiling, signal) {
      const state = stateOf(modelId);
      state.ceiling = ceiling;
      if (state.joining.size === 0 && mayJoin(state)) return Promise.resolve(join(modelId, state));
      return waitIn(state.joining, signal);
    },
    acquire(modelId, ceiling, signal) {
      const state = stateOf(modelId);
      state.ceiling = ceiling;
      if (state.waiting.size === 0 && mayStart(state)) return Promise.resolve(start(modelId, state));
      const granted = waitIn(state.waiting, signal);
      admit(modelId, state);
      return granted;
    },
    pausedUntil(modelId) {
      const until = models.get(modelId)?.pausedUntil ?? 0;
      return until > nowMs() ? new Date(until) : undefined;
    },
    async close() {
      clearInterval(timer);
      for (const [modelId, state] of models) {
        clearTimeout(state.wake);
        await state.sharing;
        if (state.held > 0) await shares.remove(modelId);
      }
      models.clear();
    },
  };
}
