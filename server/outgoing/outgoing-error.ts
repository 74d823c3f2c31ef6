import type { Reason } from '../kernel/reason.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import { outgoingSentences } from './sentences.ts';

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

  constructor(problem: OutgoingProblem, reason: Reason, options: { sent: boolean; cause?: unknown }) {
    super(reason, { cause: options.cause });
    this.problem = problem;
    this.sent = options.sent;
  }
}

/** Translates errors of sockets and undici. */
export function toOutgoingError(error: unknown, host: string, { sent }: { sent: boolean }): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const { name, message } = error as Error;
  const code = codeOf(error);
  const make = (problem: OutgoingProblem, reason: Reason): OutgoingError =>
    new OutgoingError(problem, reason, { sent, cause: error });
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return make('timeout', outgoingSentences.CALL_NOT_ANSWERED.reason({ host }));
    case 'UND_ERR_BODY_TIMEOUT':
      return make('timeout', outgoingSentences.CALL_STALLED.reason({ host }));
    case 'UND_ERR_HEADERS_OVERFLOW':
      return make('too-large', outgoingSentences.ANSWER_HEADERS_TOO_LARGE.reason({ host }));
    case 'UND_ERR_ABORTED':
    case 'ABORT_ERR':
      return make('aborted', outgoingSentences.CALL_STOPPED.reason({}));
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return make('unresolvable', outgoingSentences.HOST_UNKNOWN.reason({ host, code }));
    case 'ECONNREFUSED':
      return make('unreachable', outgoingSentences.HOST_REFUSES.reason({ host }));
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'ETIMEDOUT':
      return make('unreachable', outgoingSentences.HOST_UNREACHABLE.reason({ host, code }));
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return make('cut-off', outgoingSentences.ANSWER_CUT_OFF.reason({ host }));
  }
  if (isTlsProblem(code)) return make('tls', outgoingSentences.TLS_FAILED.reason({ host, why: code }));
  if (code.startsWith('HPE_') || name === 'HTTPParserError')
    return make(
      'protocol',
      code === ''
        ? outgoingSentences.ANSWER_NO_HTTP.reason({ host })
        : outgoingSentences.ANSWER_NO_HTTP_BECAUSE.reason({ host, code }),
    );
  if (name === 'AbortError' || name === 'TimeoutError')
    return make('aborted', outgoingSentences.CALL_STOPPED.reason({}));
  return make('unreachable', outgoingSentences.CONNECTION_FAILED.reason({ host, code: code === '' ? message : code }));
}

/** The code of a DOMException is a number. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isTlsProblem(code: string): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code);
}
