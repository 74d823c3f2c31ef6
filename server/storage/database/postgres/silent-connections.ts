import { isServerAnswer, UnreachableDatabaseError } from '../unavailable.ts';
import type { AsideWork } from './commit-fates.ts';
import type { Connection } from './connection.ts';

/**
 * Finds connections that will never answer, as when a proxy or a firewall drops what they carry: the system notices that only
 * after a quarter of an hour. A statement may take as long as it likes; while it does, the server is asked by another
 * connection whether it is still at work on it.
 */
export type SilentConnections = {
  watch(connection: Connection): void;
  close(): void;
};

export type SilenceSettings = {
  /** So long without an answer makes it worth asking. */
  silentMs: number;
  /** How often the connections are looked over. */
  lookEveryMs: number;
};

const failuresToCut = 2;

/** How the server sees the process behind a connection. */
type Session = { pid: number; state: string | null; wait_event_type: string | null; wait_event: string | null };

export function createSilentConnections(
  aside: AsideWork,
  { silentMs, lookEveryMs }: SilenceSettings = { silentMs: 5_000, lookEveryMs: 1_000 },
): SilentConnections {
  const connections = new Set<Connection>();
  /** Those that the server owed nothing when it was asked last, and since when they had been silent. */
  let suspects = new Map<Connection, number>();
  /** When the server was asked last about a silence that went on. */
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  /** Questions in a row that had no answer. */
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
        // An answer may have been on its way while we asked: only the second time it is certain.
        if (suspects.get(connection) === silentSinceMs)
          connection.cut(new UnreachableDatabaseError('The connection was cut', 'its answers do not arrive'));
        else suspected.set(connection, silentSinceMs);
      }
      suspects = suspected;
    } catch (error) {
      // A server that refuses us (too many connections, for one) is there, and may be at work.
      if (isServerAnswer(error)) return;
      // Once may be the fault of a machine that has too much to do.
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

/** Not so when it waits for its next statement, or for its client to take an answer. */
function isAtWork(session: Session | undefined): boolean {
  return session?.state === 'active' && session.wait_event_type !== 'Client';
}
