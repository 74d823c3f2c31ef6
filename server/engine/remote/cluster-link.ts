import type { Readable, Writable } from 'node:stream';
import { createObjectLines, readObjects } from './lines.ts';
import type { RemoteAnswer, RemoteOrder } from './remote-order.ts';

/** What a task takes of the cluster while it runs. */
export type RemoteResources = { cpus: number; memoryBytes: number; gpus: number };

export type ClusterLinkOptions = {
  /** What the bridge to the cluster says and hears. */
  lines: { input: Readable; output: Writable };
  resources: RemoteResources;
  /** Called with the number of tasks that the run may have at a time, and whenever it changes. */
  onSlots: (slots: number) => void;
  /** Called with the answer to an order that was cancelled meanwhile. */
  onUnwanted: (answer: RemoteAnswer) => void;
};

export type ClusterReply =
  | { type: 'answer'; id: string; answer: RemoteAnswer }
  | { type: 'lost'; id: string; cause: 'worker' | 'node'; message: string };

export type ClusterLink = {
  /** Orders that are under way at a time: as many as there are slots, and a quarter more, so that none waits for an answer to travel. */
  readonly places: number;
  /** Sends an order when there is a place for it; cancels it if the signal is aborted. */
  send(order: RemoteOrder, signal: AbortSignal): Promise<ClusterReply>;
  close(): void;
};

type Sent = { resolve: (reply: ClusterReply) => void; reject: (error: unknown) => void };

/** The driver's end of the lines to a cluster. */
export function createClusterLink({ lines, resources, onSlots, onUnwanted }: ClusterLinkOptions): ClusterLink {
  const write = createObjectLines(lines.output);
  const underWay = new Map<string, Sent>();
  const waiting: { id: string; order: RemoteOrder; sent: Sent }[] = [];
  let slots = 0;
  let lastId = 0;
  let isSending = false;
  let ended: Error | undefined;

  const places = (): number => slots + Math.ceil(slots / 4);

  function startNext(): void {
    // Back-pressure: an order is written when the one before it has left.
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

  function hear(message: { type: 'slots'; slots: number } | ClusterReply): void {
    if (message.type === 'slots') {
      slots = message.slots;
      onSlots(slots);
      startNext();
      return;
    }
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
