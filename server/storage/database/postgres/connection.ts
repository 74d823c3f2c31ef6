import type { Socket } from 'node:net';
import pg from 'pg';
import { isConnectionLost, UnreachableDatabaseError } from '../unavailable.ts';

/** Timeout for connecting to the server and its greeting. */
const connectMs = 10_000;
const keepAliveAfterMs = 10_000;

/** The result of a statement, as the driver reports it. */
export type StatementResult = { command: string; rowCount: number; rows: unknown[] };

/** One connection and its state. Once lost it stays lost and is never reused. */
export type Connection = {
  /** The server process behind the connection, if known; a connection pooler reports another one, or changes it. */
  readonly serverPid: number | undefined;
  readonly isLost: boolean;
  /** Time (`performance.now()`) since when a reply of the server is pending; undefined if none is. */
  readonly silentSinceMs: number | undefined;
  /** Throws UnreachableDatabaseError if the connection is lost before or during the call. */
  query(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  /** Closes the connection at once, whatever it is doing; pending statements fail with this reason. */
  cut(reason: Error): void;
};

/** A client with a time limit for the greeting, and with keep-alive so that the system notices a dead peer. */
export class BoundedClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super({
      ...options,
      // Not enumerable in a pool's options.
      password: options.password,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
    });
  }
}

/** Watches a client from its creation, because an error without a listener ends the process. */
export function superviseConnection(client: pg.Client): Connection & { serverPid: number | undefined } {
  let loss: Error | undefined;
  let silentSinceMs: number | undefined;
  let unanswered = 0;
  /** The first failure of the current transaction: later statements only report that it was aborted. */
  let firstFailure: Error | undefined;

  const lose = (reason: unknown): void => {
    loss ??= reason instanceof Error ? reason : new Error('The connection has ended');
  };
  client.on('error', lose);
  client.on('end', () => lose(undefined));

  function lostError(cause: unknown): UnreachableDatabaseError {
    return new UnreachableDatabaseError('The connection to the database was lost', cause);
  }

  return {
    serverPid: undefined,
    get isLost() {
      return loss !== undefined;
    },
    get silentSinceMs() {
      return silentSinceMs;
    },
    async query(sql, parameters) {
      if (loss !== undefined) throw lostError(loss);
      // After a failure, the status is still 'T' until the server is ready again.
      if (client.getTransactionStatus() === 'I') firstFailure = undefined;
      if (unanswered++ === 0) silentSinceMs = performance.now();
      try {
        return (await client.query(sql, parameters as unknown[])) as unknown as StatementResult;
      } catch (error) {
        if (loss === undefined && isConnectionLost(error)) {
          lose(error);
          // The server is about to close it; nothing that it still sends is useful.
          streamOf(client).destroy();
        }
        if (loss !== undefined) throw lostError(error);
        if (isAborted(error) && firstFailure !== undefined) throw firstFailure;
        firstFailure ??= error as Error;
        throw error;
      } finally {
        silentSinceMs = --unanswered === 0 ? undefined : performance.now();
      }
    },
    cut(reason) {
      lose(reason);
      streamOf(client).destroy(reason);
    },
  };
}

function streamOf(client: pg.Client): Socket {
  return client.connection.stream as Socket;
}

function isAborted(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '25P02';
}
