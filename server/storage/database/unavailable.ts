/** No connection to the database could be made, or the one in use was lost. */
export class UnreachableDatabaseError extends Error {
  override readonly name = 'UnreachableDatabaseError';
  /** Code of the first cause. Not `code`: whoever looks for ENOENT means a file, not the socket of a server. */
  readonly causeCode: string | undefined;

  constructor(problem: string, cause: unknown) {
    super(`${problem}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.causeCode = cause instanceof UnreachableDatabaseError ? cause.causeCode : codeOf(cause);
  }
}

/**
 * SQLSTATE of a server that can't do its work just now: connection exceptions, a server that is shut down or starting, out of
 * connections or memory, a statement that was cancelled, a system error such as EIO, a standby that takes no writes.
 */
const unavailableStates = /^(08...|57P0.|57014|53200|53300|58030|25006|25P03)$/;

/** Those after which the connection itself is of no more use. */
const lostStates = /^(08...|57P0.|25006|25P03)$/;

/** Codes of the network: the server is gone, or the way to it. */
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

/** What the driver says, without a code, of a connection that has ended or never came about. */
const lostMessages =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout exce?e?ded|timeout expired|Query read timeout)/;

/**
 * Whether an error says that the database itself failed (its disk, its server, the way to it), and not the statement: the same
 * call may succeed in a moment. Causes count as well.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UnreachableDatabaseError) return true;
    const code = codeOf(cause);
    if (code === undefined ? lostMessages.test(cause.message) : isUnavailableCode(code)) return true;
  }
  return false;
}

/** Whether a connection is of no more use after this error of its own; where the server ended it, it says so by `severity`. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  const code = codeOf(error);
  if (code === undefined) return lostMessages.test(error.message);
  const { severity } = error as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC' || networkCodes.has(code) || lostStates.test(code);
}

/** Whether the server itself has answered with this error, so that it is there and the way to it is open. */
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
