import type { Reason } from '../kernel/reason.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';

export type OutgoingProblem =
  /** The URL must not be called: its scheme, credentials or port. */
  | 'invalid-url'
  /** The address guard refused. */
  | 'forbidden'
  | 'unresolvable'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too-large'
  | 'redirect'
  /** The connection ended in the middle of a response. */
  | 'cut-off'
  /** The response is not HTTP. */
  | 'protocol'
  | 'aborted';

/** Why an outgoing call failed, in a message for users. */
export class OutgoingError extends ReasonedError {
  override readonly name = 'OutgoingError';
  readonly problem: OutgoingProblem;
  /** Whether all or part of the request may have reached the other side. */
  readonly sent: boolean;

  constructor(problem: OutgoingProblem, words: string | Reason, options: { sent: boolean; cause?: unknown }) {
    super(words, { cause: options.cause });
    this.problem = problem;
    this.sent = options.sent;
  }
}

/** Translates errors of sockets and undici. */
export function toOutgoingError(error: unknown, host: string, { sent }: { sent: boolean }): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const { name, message } = error as Error;
  const code = codeOf(error);
  const make = (problem: OutgoingProblem, text: string): OutgoingError =>
    new OutgoingError(problem, text, { sent, cause: error });
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return make('timeout', `${host} did not begin to answer in time`);
    case 'UND_ERR_BODY_TIMEOUT':
      return make('timeout', `${host} stopped in the middle of its answer`);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return make('too-large', `${host} answered with more headers than are read`);
    case 'UND_ERR_ABORTED':
    case 'ABORT_ERR':
      return make('aborted', 'the call was stopped');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return make('unresolvable', `the name ${host} could not be resolved (${code})`);
    case 'ECONNREFUSED':
      return make('unreachable', `nothing accepts connections at ${host}`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'ETIMEDOUT':
      return make('unreachable', `${host} can not be reached (${code})`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return make('cut-off', `${host} closed the connection before its answer was complete`);
  }
  if (isTlsProblem(code)) return make('tls', `the TLS connection to ${host} failed: ${code}`);
  if (code.startsWith('HPE_') || name === 'HTTPParserError')
    return make('protocol', `what ${host} answered is no HTTP${code === '' ? '' : ` (${code})`}`);
  if (name === 'AbortError' || name === 'TimeoutError') return make('aborted', 'the call was stopped');
  return make('unreachable', `the connection to ${host} failed: ${code === '' ? message : code}`);
}

/** The code of a DOMException is a number. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isTlsProblem(code: string): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code);
}
