import { isServerAnswer, UnreachableDatabaseError } from '../unavailable.ts';
import type { AsideWork } from './commit-outcomes.ts';
import type { Connection } from './connection.ts';

/**
 * Finds connections that will never reply, for example because a proxy or firewall drops their packets, which the system
 * notices only after a quarter of an hour. As a statement may take any time, another connection asks the server meanwhile
 * whether it is still working on it.
 */
export type SilentConnections = {
  watch(connection: Connection): void;
  close(): void;
};

export type SilenceSettings = {
  /** A connection without a reply for this long is checked. */
  silentMs: number;
  /** How often the connections are checked. */
  lookEveryMs: number;
};

const failuresToCut = 2;

/** The server's view of the process behind a connection. */
type Session = { pid: number; state: string | null; wait_event_type: string | null; wait_event: string | null };

export function createSilentConnections(
  aside: AsideWork,
  { silentMs, lookEveryMs }: SilenceSettings = { silentMs: 5_000, lookEveryMs: 1_000 },
): SilentConnections {
  const connections = new Set<Connection>();
  /** Connections for which the server was not working at the last check, with the start of their silence. */
  let suspects = new Map<Connection, number>();
  /** When the server was last queried about a lasting silence. */
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  /** Consecutive checks without a reply. */
  let failures = 0;

  function look(): void {
    for (const connection of connections) if (connection.isLost) connections.delete(connection);
    if (isAsking) return;
    const now = performance.now();
    const silent = [...connections].filter(({ silentSinceMs }) => now - (silentSinceMs ?? now) >= silentMs);
    if (silent.length === 0) {
      suspects.clear();
      failures = 0;
      return;
    }
    if (suspects.size === 0 && failures === 0 && now - askedAtMs < silentMs) return;
    askedAtMs = now;
    isAsking = true;
    void judge(silent).finally(() => {
      isAsking = false;
    });
  }

  async function judge(silent: readonly Connection[]): Promise<void> {
    const since = new Map(silent.map((connection) => [connection, connection.silentSinceMs]));
    const isStillSilent = (connection: Connection): boolean =>
      connection.silentSinceMs !== undefined && connection.silentSinceMs === since.get(connection);
    try {
      const sessions = await sessionsOf(silent);
      failures = 0;
      const suspected = new Map<Connection, number>();
      for (const connection of silent) {
        const { serverPid, silentSinceMs } = connection;
        if (serverPid === undefined || silentSinceMs === undefined || !isStillSilent(connection)) continue;
        if (isAtWork(sessions.get(serverPid))) continue;
        // A reply may have been in transit during the check: only the second check is certain.
        if (suspects.get(connection) === silentSinceMs)
          connection.cut(new UnreachableDatabaseError('The connection was cut', 'its answers do not arrive'));
        else suspected.set(connection, silentSinceMs);
      }
      suspects = suspected;
    } catch (error) {
      // A server that refuses the check (too many connections, for example) is reachable, and may be working.
      if (isServerAnswer(error)) return;
      // A single failure may be the fault of an overloaded machine.
      failures += 1;
      if (failures < failuresToCut) return;
      for (const connection of silent)
        if (isStillSilent(connection))
          connection.cut(new UnreachableDatabaseError('The connection was cut, the server does not answer', error));
    }
  }

  async function sessionsOf(silent: readonly Connection[]): Promise<Map<number, Session>> {
    const pids = silent.flatMap(({ serverPid }) => serverPid ?? []);
    const { rows } = await aside((connection) =>
      connection.query(
        'select pid, state, wait_event_type, wait_event from pg_stat_activity where pid = any($1::integer[])',
        [pids],
      ),
    );
    return new Map((rows as Session[]).map((session) => [session.pid, session]));
  }

  const timer = setInterval(look, lookEveryMs).unref();
  return {
    watch(connection) {
      connections.add(connection);
    },
    close() {
      clearInterval(timer);
    },
  };
}

/** False if the session waits for its next statement, or for its client to read a reply. */
function isAtWork(session: Session | undefined): boolean {
  return session?.state === 'active' && session.wait_event_type !== 'Client';
}
