import { newId } from '../../../kernel/ids.ts';
import { UnreachableDatabaseError } from '../unavailable.ts';
import type { Connection, StatementResult } from './connection.ts';

/**
 * Determines the outcome of commits whose reply was lost. Each writing connection has a row in which it counts its commits, as
 * the last statement of each transaction; finding the number there proves the commit. The query also closes the row: a COMMIT
 * that is still in transit, in a proxy or in a stalled server, then finds another number than it expects and fails.
 */
export type CommitOutcomes = {
  /** The row in which a connection counts; return it when the connection is closed. */
  takeMark(): CommitMark;
  returnMark(mark: CommitMark): void;
  /**
   * Commits the open transaction. Throws only if it is certain that nothing was committed, or (after some time) if the outcome
   * can't be determined yet.
   */
  commit(connection: Connection, mark: CommitMark): Promise<StatementResult>;
  /**
   * Resolves when no outcome is pending. Throws if one can't be determined now: that commit might still change what is read
   * next.
   */
  settled(): Promise<void>;
  close(): void;
};

/** A row of `connection_commits`, and how many of its commits are confirmed. */
export type CommitMark = { readonly id: string; commits: number; isSpent: boolean };

/** What this module needs from the database: a separate connection for one piece of work, within a time limit. */
export type AsideWork = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

type PendingOutcome = { mark: CommitMark; resolve(isCommitted: boolean): void };

/** Larger than any count: the query adds it, so that no connection can continue with this row. */
const shut = 2 ** 40;
const pauseMs = 100;

/** How long a row is kept after its last commit: no COMMIT is in transit for longer. */
const forgottenAfter = '1 day';

/** Creates the table outside the migrations, like the list of migrations: it is not part of the service's data. */
export async function prepareCommitMarks(connection: Connection): Promise<void> {
  const { rows } = await connection.query(`select to_regclass('connection_commits') as known`);
  if ((rows as { known: string | null }[])[0]?.known === null) {
    // The lock prevents two services that start at the same moment from both creating it.
    await connection.query(
      `begin;
       select pg_advisory_xact_lock(hashtext('connection_commits'));
       create table if not exists connection_commits (
         id text primary key, commits bigint not null check (commits >= 0), at timestamptz not null default now());
       commit`,
    );
  }
  await connection.query(`delete from connection_commits where at < now() - interval '${forgottenAfter}'`);
}

export function createCommitOutcomes({
  aside,
  waitMs,
}: {
  aside: AsideWork;
  /** How long a caller waits for the outcome of its commit. */
  waitMs: number;
}): CommitOutcomes {
  const open = new Set<PendingOutcome>();
  const spare: CommitMark[] = [];
  let learning: Promise<void> | undefined;
  const state = { isAsking: false, isClosed: false };

  /** Tries once to determine all pending outcomes; those determined are removed even if it fails midway. */
  function learn(): Promise<void> {
    learning ??= aside(async (connection) => {
      for (const outcome of open) {
        const isCommitted = await askFor(connection, outcome.mark);
        open.delete(outcome);
        outcome.resolve(isCommitted);
      }
    }).finally(() => {
      learning = undefined;
    });
    return learning;
  }

  async function learnUntilNoneIsOpen(): Promise<void> {
    if (state.isAsking) return;
    state.isAsking = true;
    while (open.size > 0 && !state.isClosed) {
      try {
        await learn();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
    state.isAsking = false;
  }

  function outcomeOf(mark: CommitMark, cause: unknown): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new UnreachableDatabaseError('The database has not said yet whether it has committed', cause));
      }, waitMs);
      open.add({
        mark,
        resolve(isCommitted) {
          clearTimeout(late);
          resolve(isCommitted);
        },
      });
      void learnUntilNoneIsOpen();
    });
  }

  return {
    takeMark: () => spare.pop() ?? { id: newId(), commits: 0, isSpent: false },
    returnMark(mark) {
      if (!mark.isSpent) spare.push(mark);
    },
    async commit(connection, mark) {
      // Not sent, so the outcome is certain.
      if (connection.isLost) return connection.query('commit');
      try {
        await connection.query(`${countSql(mark)}; commit`);
      } catch (error) {
        // If the server still replies, it has rolled back.
        if (!connection.isLost) throw error;
        mark.isSpent = true;
        if (!(await outcomeOf(mark, error))) throw error;
      }
      mark.commits += 1;
      return { command: 'COMMIT', rowCount: 0, rows: [] };
    },
    async settled() {
      if (open.size > 0) await learn();
    },
    close() {
      state.isClosed = true;
    },
  };
}

/** Counts one more commit, or fails if the count isn't the expected one. */
function countSql({ id, commits }: CommitMark): string {
  return `insert into connection_commits as known (id, commits) values ('${id}', ${commits + 1})
    on conflict (id) do update set at = now(),
      commits = case when known.commits = ${commits} then excluded.commits else -1 end`;
}

/**
 * Whether the commit after the confirmed ones happened. Waits for a commit that the server is executing; none can happen
 * afterwards.
 */
async function askFor(connection: Connection, { id, commits }: CommitMark): Promise<boolean> {
  const { rows } = await connection.query(
    `insert into connection_commits as known (id, commits) values ('${id}', ${shut})
      on conflict (id) do update set at = now(), commits = known.commits + ${shut}
      returning commits`,
  );
  const [row] = rows as { commits: number | string }[];
  // The reply to an earlier query may have been lost too: then the row was closed more than once.
  return Number(row?.commits) % shut === commits + 1;
}
