import { EventEmitter } from 'node:events';
import { newId } from '../../../kernel/ids.ts';
import { signalTopics, type Signals, type SignalTopic } from '../signal-types.ts';
import { BoundedClient, superviseConnection, type Connection } from './connection.ts';

const channel = 'tilth';
/** Hints within this time are sent together. PostgreSQL sends notifications at commit, one transaction after the other. */
const gatherMs = 20;
/** PostgreSQL's limit for a payload is 8,000 bytes. */
const maxBytes = 7_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** How often the connection is tested, and how long its reply may take. */
const tryEveryMs = 10_000;
const answerMs = 5_000;

/** `LISTEN` and `NOTIFY` over a dedicated connection, which is reopened when it is lost. */
export async function openPostgresSignals(
  url: string,
  { logger }: { logger: { warn(details: object, message: string): void } },
): Promise<Signals> {
  const sender = newId();
  const received = new EventEmitter();
  received.setMaxListeners(0);
  const waiting = new Map<SignalTopic, Set<string>>();
  const state: {
    connection: Connection | undefined;
    isClosed: boolean;
    isReported: boolean;
    pauseMs: number;
    timer: NodeJS.Timeout | undefined;
    sendTimer: NodeJS.Timeout | undefined;
    sentAt: number;
    end: () => Promise<void>;
  } = {
    connection: undefined,
    isClosed: false,
    isReported: false,
    pauseMs: firstPauseMs,
    timer: undefined,
    sendTimer: undefined,
    sentAt: Number.NEGATIVE_INFINITY,
    end: async () => {},
  };

  async function connect(): Promise<void> {
    const client = new BoundedClient({ connectionString: url });
    const connection = superviseConnection(client);
    client.on('notification', ({ payload }) => hear(payload ?? ''));
    client.once('end', () => {
      if (state.connection === connection) state.connection = undefined;
      connectLater();
    });
    state.end = async () => {
      const late = setTimeout(() => connection.cut(new Error('The service is stopping')), answerMs);
      await client.end().catch(() => {});
      clearTimeout(late);
    };
    try {
      await client.connect();
      await connection.query(`listen ${channel}`);
    } catch (error) {
      if (!state.isReported) logger.warn({ err: error }, 'hints of other nodes can not be received; trying again');
      state.isReported = true;
      connection.cut(new Error('The connection could not be made'));
      connectLater();
      return;
    }
    state.connection = connection;
    state.isReported = false;
    state.pauseMs = firstPauseMs;
    send();
  }

  function connectLater(): void {
    if (state.isClosed || state.timer !== undefined) return;
    state.timer = setTimeout(() => {
      state.timer = undefined;
      if (!state.isClosed) void connect();
    }, state.pauseMs).unref();
    state.pauseMs = Math.min(2 * state.pauseMs, longestPauseMs);
  }

  function hear(payload: string): void {
    const [from, topic, ...keys] = payload.split('\n');
    if (from === sender || topic === undefined || !isTopic(topic)) return;
    for (const key of keys) received.emit(topic, key);
  }

  function sendSoon(): void {
    if (state.sendTimer !== undefined) return;
    state.sendTimer = setTimeout(
      () => {
        state.sendTimer = undefined;
        send();
      },
      Math.max(0, state.sentAt + gatherMs - performance.now()),
    ).unref();
  }

  function send(): void {
    const { connection } = state;
    if (connection === undefined) {
      // Receivers also poll, and hints must not pile up.
      waiting.clear();
      return;
    }
    state.sentAt = performance.now();
    for (const [topic, keys] of waiting) {
      for (const payload of payloadsOf([sender, topic], keys))
        connection.query('select pg_notify($1, $2)', [channel, payload]).catch(() => {});
    }
    waiting.clear();
  }

  /** Detects a peer that disappeared silently. */
  const trial = setInterval(() => {
    const { connection } = state;
    if (connection === undefined) return;
    const late = setTimeout(() => connection.cut(new Error('The connection does not answer')), answerMs);
    connection.query('select 1').then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
  }, tryEveryMs).unref();

  await connect();
  return {
    send(topic, key) {
      const keys = waiting.get(topic) ?? new Set();
      waiting.set(topic, keys.add(key));
      sendSoon();
    },
    on(topic, listener) {
      received.on(topic, listener);
      return () => received.off(topic, listener);
    },
    async close() {
      clearTimeout(state.sendTimer);
      send();
      state.isClosed = true;
      clearTimeout(state.timer);
      clearInterval(trial);
      await state.end();
    },
  };
}

function* payloadsOf(head: readonly string[], keys: ReadonlySet<string>): Generator<string> {
  let lines = [...head];
  let bytes = 0;
  for (const key of keys) {
    if (bytes + key.length > maxBytes) {
      yield lines.join('\n');
      lines = [...head];
      bytes = 0;
    }
    lines.push(key);
    bytes += key.length + 1;
  }
  yield lines.join('\n');
}

function isTopic(text: string): text is SignalTopic {
  return (signalTopics as readonly string[]).includes(text);
}
