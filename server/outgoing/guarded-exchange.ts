import type { Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { checkPort, parseUrl, redirectTarget } from './guarded-url.ts';
import { OutgoingError, toOutgoingError } from './outgoing-error.ts';
import { outgoingSentences } from './sentences.ts';

export type ExchangeOptions = {
  method?: string | undefined;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** From the call to the last byte of the response. */
  totalMs: number;
  /** Maximum size of the response's body in bytes. */
  maxBytes: number;
  /** Also receives the body as it arrives. It must not throw. */
  onPart?: ((part: Buffer, answer: Pick<WholeAnswer, 'status' | 'headers'>) => void) | undefined;
};

export type WholeAnswer = {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

/**
 * A request whose response is returned as a whole, with the limits of GuardedFetch and a third of its CPU time: without
 * streams and `Response`; a redirect is an error. Throws OutgoingError.
 */
export type GuardedExchange = (url: string | URL, options: ExchangeOptions) => Promise<WholeAnswer>;

const redirects = new Set([301, 302, 303, 307, 308]);

export function createGuardedExchange({
  dispatcher,
  guard,
}: {
  dispatcher: Dispatcher;
  guard: AddressGuard;
}): GuardedExchange {
  return (url, options) =>
    new Promise((resolve, reject) => {
      const target = parseUrl(url);
      checkPort(target, guard);
      const { host } = target;
      const { method = 'GET', headers = {}, body = null, signal, totalMs, maxBytes, onPart } = options;
      const answer = { status: 0, headers: {} as WholeAnswer['headers'], parts: [] as Buffer[], size: 0 };
      let controller: Dispatcher.DispatchController | undefined;
      let ended = false;
      /** undici reports the start of a request once it is connected and about to write the first byte. */
      const isSent = (): boolean => controller !== undefined;

      /** The first outcome counts; later events of undici for the same call are ignored. */
      function end(settle: () => void): boolean {
        if (ended) return false;
        ended = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        settle();
        return true;
      }

      function fail(error: OutgoingError): void {
        if (end(() => reject(error))) controller?.abort(error);
      }

      function stop(): void {
        fail(
          new OutgoingError('aborted', outgoingSentences.CALL_STOPPED.reason({}), {
            sent: isSent(),
            cause: signal?.reason,
          }),
        );
      }

      const timer = setTimeout(() => {
        const reason = outgoingSentences.CALL_OVER_TIME.reason({ host, limit: totalMs });
        fail(new OutgoingError('timeout', reason, { sent: isSent() }));
      }, totalMs).unref();
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          if (ended) started.abort(new Error('the call has ended'));
          else controller = started;
        },
        onResponseStart(_controller, status, answered) {
          if (status < 200) return;
          answer.status = status;
          answer.headers = answered;
          const { location } = answered;
          if (redirects.has(status) && location !== undefined)
            fail(
              new OutgoingError(
                'redirect',
                outgoingSentences.REDIRECT_NOT_FOLLOWED.reason({
                  host,
                  target: redirectTarget(String(location), target),
                }),
                { sent: true },
              ),
            );
          else if (status > 599)
            fail(new OutgoingError('protocol', outgoingSentences.CALL_STATUS.reason({ host, status }), { sent: true }));
        },
        onResponseData(_controller, part) {
          answer.size += part.length;
          if (answer.size <= maxBytes) {
            answer.parts.push(part);
            if (!ended) onPart?.(part, answer);
          } else
            fail(
              new OutgoingError('too-large', outgoingSentences.ANSWER_TOO_LARGE.reason({ host, limit: maxBytes }), {
                sent: true,
              }),
            );
        },
        onResponseEnd() {
          const [only] = answer.parts;
          const whole = answer.parts.length === 1 && only !== undefined ? only : Buffer.concat(answer.parts);
          end(() => resolve({ status: answer.status, headers: answer.headers, body: whole }));
        },
        onResponseError(_controller, error) {
          end(() => reject(toOutgoingError(error, host, { sent: isSent() })));
        },
      };
      dispatcher.dispatch(
        {
          origin: target.origin,
          path: target.pathname + target.search,
          method,
          headers,
          body,
          headersTimeout: totalMs,
          bodyTimeout: totalMs,
        },
        handler,
      );
    });
}
