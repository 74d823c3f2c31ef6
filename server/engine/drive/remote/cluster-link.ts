import type { Readable, Writable } from 'node:stream';
import { createObjectLines, readObjects } from './lines.ts';
import { createStandstillWatch, type OnStandstill, type RemoteResources } from './standstill-watch.ts';
import type { RemoteAnswer, RemoteOrder } from './remote-order.ts';

export type ClusterLinkOptions = {
  /** Input and output of the bridge to the cluster. */
  lines: { input: Readable; output: Writable };
  resources: RemoteResources;
  /** Number of runs that share the slots of the cluster; by default only this one. */
  countRuns?: (() => Promise<number>) | undefined;
  /** Called with the number of tasks that the run may have at a time, and whenever it changes. */
  onSlots: (slots: number) => void;
  /** Called with the reason when no answer has come for long, and again when one comes. */
  onStandstill?: OnStandstill | undefined;
  /** Time without an answer before `onStandstill`; an eighth of it if no node has room for the work. */
  standstillMs?: number | undefined;
  /** Called with the answer to an order that was cancelled in the meantime. */
  onUnwanted: (answer: RemoteAnswer) => void;
};

export type ClusterReply =
  | { type: 'answer'; id: string; answer: RemoteAnswer }
  | { type: 'lost'; id: string; cause: LossCause; message: string };

/** A process that ended on its own, a process killed from outside, or a node with all its processes. */
export type LossCause = 'worker' | 'killed' | 'node';

export type ClusterLink = {
  /**
   * Maximum number of orders under way: the slots and a quarter more, so that no slot waits for an answer to travel;
   * with short orders, as many more as are answered in a quarter of a second, but at most one more per slot.
   */
  readonly places: number;
  /** Sends an order when there is a place for it; cancels it if the signal is aborted. */
  send(order: RemoteOrder, signal: AbortSignal): Promise<ClusterReply>;
  close(): void;
};

type Sent = { resolve: (reply: ClusterReply) => void; reject: (error: unknown) => void };

/** The driver's end of the connection to a cluster. */
export function createClusterLink(options: ClusterLinkOptions): ClusterLink {
  const { lines, resources, onSlots, onUnwanted, countRuns, onStandstill, standstillMs = 120_000 } = options;
  const write = createObjectLines(lines.output);
  const underWay = new Map<string, Sent>();
  const waiting: { id: string; order: RemoteOrder; sent: Sent }[] = [];
  let slots = 0;
  /** Number of orders answered in the last second. */
  let rate = 0;
  let answered = 0;
  let runs = 1;
  let slotsOfAll = 0;
  let lastId = 0;
  let isSending = false;
  let isCounting = false;
  let ended: Error | undefined;
  const standstill = createStandstillWatch({ resources, standstillMs, onStandstill });

  const places = (): number => slots + Math.max(Math.ceil(slots / 4), Math.min(slots, Math.ceil(rate / 4)));

  function startNext(): void {
    // Back-pressure: an order is written only after the one before it was sent.
    if (isSending || underWay.size >= places()) return;
    const next = waiting.shift();
    if (next === undefined) return;
    const { id, order, sent } = next;
    underWay.set(id, sent);
    isSending = true;
    write({ type: 'run', id, order, resources })
      .catch(sent.reject)
      .finally(() => {
        isSending = false;
        startNext();
      });
  }

  function end(error: Error): void {
    ended ??= error;
    for (const { reject } of underWay.values()) reject(ended);
    for (const { sent } of waiting.splice(0)) sent.reject(ended);
  }

  /**
   * Updates this run's share. The cluster reports its slots every second, so runs that began or ended change the share
   * that often.
   */
  function share(): void {
    const now = Math.max(1, Math.ceil(slotsOfAll / runs));
    if (now !== slots) onSlots(now);
    slots = now;
    startNext();
    if (isCounting || countRuns === undefined) return;
    isCounting = true;
    countRuns()
      .then((count) => {
        const before = runs;
        runs = Math.max(1, count);
        isCounting = false;
        if (runs !== before) share();
      })
      // Keeps the last count until the database is back.
      .catch(() => {
        isCounting = false;
      });
  }

  function hear(message: { type: 'slots'; slots: number; hasRoom?: boolean } | ClusterReply): void {
    if (message.type === 'slots') {
      slotsOfAll = message.slots;
      standstill.watch({ isIdle: underWay.size === 0, hasRoom: message.hasRoom !== false });
      rate = answered;
      answered = 0;
      share();
      return;
    }
    answered += 1;
    standstill.end();
    const sent = underWay.get(message.id);
    if (sent !== undefined) sent.resolve(message);
    else if (message.type === 'answer') onUnwanted(message.answer);
  }

  async function listen(): Promise<void> {
    for await (const message of readObjects(lines.input)) hear(message as Parameters<typeof hear>[0]);
    end(new Error('The connection to the cluster has ended'));
  }
  const onLoss = (error: unknown): void => {
    end(new Error('The connection to the cluster was lost', { cause: error }));
  };
  listen().catch(onLoss);
  lines.output.on('error', onLoss);

  return {
    get places() {
      return places();
    },
    async send(order, signal) {
      signal.throwIfAborted();
      if (ended !== undefined) throw ended;
      const id = String((lastId += 1));
      const { promise, resolve, reject } = Promise.withResolvers<ClusterReply>();
      const pending = { id, order, sent: { resolve, reject } };
      const cancel = (): void => {
        const at = waiting.indexOf(pending);
        if (at >= 0) waiting.splice(at, 1);
        else write({ type: 'cancel', id }).catch(() => {});
        reject(signal.reason);
      };
      waiting.push(pending);
      signal.addEventListener('abort', cancel);
      startNext();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', cancel);
        underWay.delete(id);
        startNext();
      }
    },
    close() {
      end(new Error('The engine is closed'));
      lines.output.end();
      lines.input.destroy();
    },
  };
}
