/** No connection to the database could be made; the code is that of the cause. */
export class UnreachableDatabaseError extends Error {
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`The database does not take connections: ${String(cause)}`, { cause });
    this.name = 'UnreachableDatabaseError';
    this.code = (cause as { code?: string } | null)?.code;
  }
}

/** SQLSTATE: connection exceptions, a server that is shut down or starting, too many connections, a system error such as EIO. */
const unavailableStates = /^(08...|57P0.|53300|58030)$/;

/** Whether an error says that the database itself failed (its disk, its server, the way to it), and not the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof UnreachableDatabaseError) return true;
  if (!(error instanceof Error)) return false;
  const { code, message } = error as Error & { code?: unknown };
  if (typeof code !== 'string') return message.startsWith('Connection terminated');
  return code.startsWith('SQLITE_IOERR') || unavailableStates.test(code);
}
