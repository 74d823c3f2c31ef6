/** The database could not be connected to, or the connection in use was lost. */
export class UnreachableDatabaseError extends Error {
  override readonly name = 'UnreachableDatabaseError';
  /** Code of the first cause. Not named `code`, because code that checks for ENOENT means a file, not a server's socket. */
  readonly causeCode: string | undefined;

  constructor(problem: string, cause: unknown) {
    super(`${problem}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.causeCode = cause instanceof UnreachableDatabaseError ? cause.causeCode : codeOf(cause);
  }
}

/**
 * SQLSTATEs of a server that is temporarily unable to work: connection exceptions, shutdown or startup, out of connections or
 * memory, a cancelled statement, a system error such as EIO, a standby that takes no writes.
 */
const unavailableStates = /^(08...|57P0.|57014|53200|53300|58030|25006|25P03)$/;

/** SQLSTATEs after which the connection itself is unusable. */
const lostStates = /^(08...|57P0.|25006|25P03)$/;

/** Network error codes: the server, or the route to it, is down. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Driver messages without a code for a connection that ended or was never established. */
const lostMessages =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout exce?e?ded|timeout expired|Query read timeout)/;

/**
 * Whether an error means that the database itself failed (its disk, its server, the network), and not the statement: the same
 * call may succeed a moment later. Causes are checked as well.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UnreachableDatabaseError) return true;
    const code = codeOf(cause);
    if (code === undefined ? lostMessages.test(cause.message) : isUnavailableCode(code)) return true;
  }
  return false;
}

/** Whether a connection is unusable after its own error; `severity` shows whether the server ended it. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  const code = codeOf(error);
  if (code === undefined) return lostMessages.test(error.message);
  const { severity } = error as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC' || networkCodes.has(code) || lostStates.test(code);
}

/** Whether the server itself sent this error, so that it is reachable. */
export function isServerAnswer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string';
}

function isUnavailableCode(code: string): boolean {
  return code.startsWith('SQLITE_IOERR') || unavailableStates.test(code);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
