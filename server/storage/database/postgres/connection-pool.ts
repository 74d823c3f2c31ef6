import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { isServerAnswer, UnreachableDatabaseError } from '../unavailable.ts';
import { createCommitOutcomes, prepareCommitMarks, type AsideWork, type CommitMark } from './commit-outcomes.ts';
import { BoundedClient, superviseConnection, type Connection } from './connection.ts';
import { createSilentConnections, type SilenceSettings } from './silent-connections.ts';

export type ConnectionPoolOptions = {
  url: string;
  size: number;
  /** Passed to the server at the start of each connection. */
  options: string;
  /** Whether the database refuses every write, so that there is nothing to commit. */
  isReadOnly?: boolean;
  types: pg.CustomTypesConfig;
  silence?: SilenceSettings;
  /** How long a caller waits for the outcome of a commit whose reply was lost. */
  outcomeWaitMs?: number;
};

/** What the pool tracks about a connection beyond the driver's state. */
type Member = { connection: Connection & { serverPid: number | undefined }; mark: CommitMark | undefined };

/** How long a statement waits for a connection while all of them are busy. */
export const acquireMs = 30_000;
/** Limit for work on separate connections, which takes milliseconds if the server responds at all. */
const asideMs = 10_000;
/** When the pool closes, connections that have not ended after this time are cut. */
const endMs = 5_000;

/**
 * A pool whose connections may be lost at any moment: lost ones are never reused, the outcome of commits is certain, and nothing
 * waits forever. Statements on lost connections fail with UnreachableDatabaseError.
 */
export function openConnectionPool({
  url,
  size,
  options,
  isReadOnly = false,
  types,
  silence,
  outcomeWaitMs = 15_000,
}: ConnectionPoolOptions): PostgresPool & { prepare(): Promise<void> } {
  const config = { connectionString: url, types, options };
  const aside: AsideWork = (work) => withOwnConnection(config, work);
  const outcomes = createCommitOutcomes({ aside, waitMs: outcomeWaitMs });
  const silent = createSilentConnections(aside, silence);
  const members = new WeakMap<pg.ClientBase, Member>();
  const alive = new Set<Connection>();

  class SupervisedClient extends BoundedClient {
    constructor(given: pg.ClientConfig) {
      super(given);
      const connection = superviseConnection(this);
      members.set(this, { connection, mark: undefined });
      alive.add(connection);
      silent.watch(connection);
      this.on('end', () => alive.delete(connection));
    }
  }

  const pool = new pg.Pool({
    ...config,
    max: size,
    connectionTimeoutMillis: acquireMs,
    Client: SupervisedClient as unknown as new () => pg.ClientBase,
    // The pool awaits it, despite its types.
    onConnect: (client) => findServerPid(client) as unknown as void,
  });
  // Each connection has its own listener; the pool reports errors of idle ones a second time.
  pool.on('error', () => {});
  pool.on('remove', (client) => {
    // Emitted again for each further error of the same client, but a mark must be returned only once.
    const member = getMember(client);
    if (member.mark !== undefined) outcomes.returnMark(member.mark);
    member.mark = undefined;
  });

  /** Queries the server process id, because a connection pooler sends an id of its own in the greeting. */
  async function findServerPid(client: pg.ClientBase): Promise<void> {
    const { connection } = getMember(client);
    const { rows } = await connection.query('select pg_backend_pid() as pid');
    const [row] = rows as { pid: number }[];
    if (row?.pid === (client as { processID?: number }).processID) connection.serverPid = row?.pid;
  }

  function getMember(client: pg.ClientBase): Member {
    const member = members.get(client);
    if (member === undefined) throw new Error('The client is not of this pool');
    return member;
  }

  async function connect(): Promise<PostgresPoolClient> {
    try {
      await outcomes.settled();
      return guard(await pool.connect());
    } catch (error) {
      throw new UnreachableDatabaseError('The database does not take connections', error);
    }
  }

  /** The connection passed to Kysely: recognises commits, which Kysely does not. */
  function guard(client: pg.PoolClient): PostgresPoolClient {
    const member = getMember(client);
    const { connection } = member;
    return {
      query: ((sql: string, parameters: readonly unknown[]) => {
        if (sql === 'commit' && !isReadOnly) return outcomes.commit(connection, (member.mark ??= outcomes.takeMark()));
        // The server itself rolls back the transaction of a lost connection.
        if (sql === 'rollback' && connection.isLost)
          return Promise.resolve({ command: 'ROLLBACK', rowCount: 0, rows: [] });
        return connection.query(sql, parameters);
      }) as PostgresPoolClient['query'],
      release(isDiscarded = false) {
        const isOver = isDiscarded || connection.isLost;
        if (isOver) connection.cut(new Error('The connection is given up'));
        client.release(isOver);
      },
    };
  }

  async function end(): Promise<void> {
    outcomes.close();
    silent.close();
    // A dead connection that was not detected as dead never closes.
    const late = setTimeout(() => {
      for (const connection of alive) connection.cut(new Error('The pool has ended'));
    }, endMs);
    await pool.end();
    clearTimeout(late);
  }

  let ending: Promise<void> | undefined;
  return {
    options: pool.options,
    connect,
    prepare: () => aside(prepareCommitMarks),
    end: () => (ending ??= end()),
  };
}

/** Runs work on a separate connection, which is cut if the work takes too long. */
async function withOwnConnection<T>(config: pg.ClientConfig, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = new BoundedClient(config);
  const connection = superviseConnection(client);
  const late = setTimeout(() => {
    connection.cut(new UnreachableDatabaseError('The connection was cut', `no answer within ${asideMs} ms`));
  }, asideMs);
  try {
    await client.connect();
    return await work(connection);
  } catch (error) {
    if (isServerAnswer(error)) throw error;
    throw new UnreachableDatabaseError('The database does not answer', error);
  } finally {
    // A peer that is gone never closes its side: the connection is cut as well.
    await client.end().catch(() => {});
    clearTimeout(late);
  }
}
