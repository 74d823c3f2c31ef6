import type { Socket } from 'node:net';
import pg from 'pg';
import { isConnectionLost, UnreachableDatabaseError } from '../unavailable.ts';

/** How long the way to the server and its greeting may take. */
const connectMs = 10_000;
const keepAliveAfterMs = 10_000;

/** What a statement gives, as the driver tells it. */
export type StatementResult = { command: string; rowCount: number; rows: unknown[] };

/** One connection and what became of it. Once it is lost it stays lost: it is never given out again. */
export type Connection = {
  /** Process of the server that serves it, where that can be told; a pooler between tells something else, or changes it. */
  readonly serverPid: number | undefined;
  readonly isLost: boolean;
  /** Since when (`performance.now()`) the server owes an answer and has given none; undefined when it owes none. */
  readonly silentSinceMs: number | undefined;
  /** Throws UnreachableDatabaseError when the connection is lost, before or meanwhile. */
  query(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  /** Ends it at once, whatever it is doing; statements that wait fail with this reason. */
  cut(reason: Error): void;
};

/** A client whose greeting is waited for so long and no longer, and whose dead peer the system notices. */
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

/** Watches a client from its first moment on: an error that nobody listens to ends the process. */
export function superviseConnection(client: pg.Client): Connection & { serverPid: number | undefined } {
  let loss: Error | undefined;
  let silentSinceMs: number | undefined;
  let unanswered = 0;
  /** Why the transaction under way can't go on: later statements are only told that it was aborted. */
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
      if (client.getTransactionStatus() !== 'E') firstFailure = undefined;
      if (unanswered++ === 0) silentSinceMs = performance.now();
      try {
        return (await client.query(sql, parameters as unknown[])) as unknown as StatementResult;
      } catch (error) {
        if (loss === undefined && isConnectionLost(error)) {
          lose(error);
          // The server is about to close it; nothing that it still sends is of use.
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
