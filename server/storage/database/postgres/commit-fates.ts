import { newId } from '../../../kernel/ids.ts';
import { UnreachableDatabaseError } from '../unavailable.ts';
import type { Connection, StatementResult } from './connection.ts';

/**
 * What became of commits whose answer was lost. Each connection that writes has a row in which it counts its commits, as the
 * last thing a transaction does; whoever finds the number there knows. Asking also shuts the door: a COMMIT that is still on
 * its way, in a proxy or in a server that stood still, finds another number than it expects and fails.
 */
export type CommitFates = {
  /** The mark that a connection counts with; give it back when the connection is no more. */
  takeMark(): CommitMark;
  returnMark(mark: CommitMark): void;
  /** Commits what is open on the connection. Throws only when it is known that nothing was committed, or (after some time) that nobody knows yet. */
  commit(connection: Connection, mark: CommitMark): Promise<StatementResult>;
  /**
   * Resolves when no fate is open. Throws when one can't be learnt just now: whatever would be read might be changed by it
   * afterwards.
   */
  settled(): Promise<void>;
  close(): void;
};

/** A row of `connection_commits`, and how many commits of it are known. */
export type CommitMark = { readonly id: string; commits: number; isSpent: boolean };

/** What the fates need of the database: a connection of their own for one piece of work, within a bounded time. */
export type AsideWork = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

type OpenFate = { mark: CommitMark; learnt(isCommitted: boolean): void };

/** Beyond every count: added by whoever asks, so that nobody counts on with this row. */
const shut = 2 ** 40;
const pauseMs = 100;

/** Kept that long after its last commit: no COMMIT is on its way for longer. */
const forgottenAfter = '1 day';

/** Made beside the migrations, as the list of migrations is: it is not part of what the service stores. */
export async function prepareCommitMarks(connection: Connection): Promise<void> {
  const { rows } = await connection.query(`select to_regclass('connection_commits') as known`);
  if ((rows as { known: string | null }[])[0]?.known === null) {
    // Two services that start at the same moment would both make it.
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

export function createCommitFates({
  aside,
  waitMs,
}: {
  aside: AsideWork;
  /** How long a caller waits to hear what became of its commit. */
  waitMs: number;
}): CommitFates {
  const open = new Set<OpenFate>();
  const spare: CommitMark[] = [];
  let learning: Promise<void> | undefined;
  const state = { isAsking: false, isClosed: false };

  /** One try for all that are open; those that were learnt are no longer among them, also when it fails in their midst. */
  function learn(): Promise<void> {
    learning ??= aside(async (connection) => {
      for (const fate of open) {
        const isCommitted = await askFor(connection, fate.mark);
        open.delete(fate);
        fate.learnt(isCommitted);
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

  function fateOf(mark: CommitMark, cause: unknown): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new UnreachableDatabaseError('The database has not said yet whether it has committed', cause));
      }, waitMs);
      open.add({
        mark,
        learnt(isCommitted) {
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
      // Not even sent: nothing is in doubt.
      if (connection.isLost) return connection.query('commit');
      try {
        await connection.query(`${countSql(mark)}; commit`);
      } catch (error) {
        // A server that goes on talking to us has rolled back.
        if (!connection.isLost) throw error;
        mark.isSpent = true;
        if (!(await fateOf(mark, error))) throw error;
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

/** Counts one more commit, or fails where the count isn't the one that is known. */
function countSql({ id, commits }: CommitMark): string {
  return `insert into connection_commits as known (id, commits) values ('${id}', ${commits + 1})
    on conflict (id) do update set at = now(),
      commits = case when known.commits = ${commits} then excluded.commits else -1 end`;
}

/** Whether the commit after those that are known came about. Waits for one that the server is about; from then on none can. */
async function askFor(connection: Connection, { id, commits }: CommitMark): Promise<boolean> {
  const { rows } = await connection.query(
    `insert into connection_commits as known (id, commits) values ('${id}', ${shut})
      on conflict (id) do update set at = now(), commits = known.commits + ${shut}
      returning commits`,
  );
  const [row] = rows as { commits: number | string }[];
  // An answer of ours may have been lost as well: then it was shut more than once.
  return Number(row?.commits) % shut === commits + 1;
}
