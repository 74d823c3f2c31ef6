import type { APIError } from 'openai';
import type { Reason } from '../../kernel/reason.ts';
import { redact } from '../../secrets/index.ts';
import { ModelCallError, type CallProblem } from '../errors.ts';
import { parseRetryAfter } from '../retries.ts';
import { modelSentences as words } from '../sentences.ts';
import { outgoingSentences } from '../../outgoing/index.ts';

/** An answer of a provider with a status of failure. */
export type AnsweredError = APIError<number, Headers, object | undefined>;

/** Translates a failed answer; the provider's own words are a value of the sentence, whatever they say. */
export function fromStatus(
  error: AnsweredError,
  { host, model, apiKey }: { host: string; model: string; apiKey: string | undefined },
): ModelCallError {
  const { status, headers } = error;
  const said = quoteOf(error.error ?? error.message, apiKey);
  const make = (problem: CallProblem, silent: Reason, saying: Reason, retryable = false): ModelCallError =>
    new ModelCallError(problem, said === '' ? silent : saying, {
      retryable,
      status,
      retryAfterMs: retryable ? parseRetryAfter(headers ?? new Headers(), new Date()) : undefined,
    });
  const about = { host, status, said };
  switch (status) {
    case 401:
    case 403:
      return apiKey === undefined
        ? make(
            'unauthorized',
            words.PROVIDER_WANTS_KEY.reason({ host, status }),
            words.PROVIDER_WANTS_KEY_SAYING.reason(about),
          )
        : make(
            'unauthorized',
            words.PROVIDER_KEY_REFUSED.reason({ host, status }),
            words.PROVIDER_KEY_REFUSED_SAYING.reason(about),
          );
    case 404:
      return make(
        'not-found',
        words.PROVIDER_KNOWS_NO_MODEL.reason({ host, model }),
        words.PROVIDER_KNOWS_NO_MODEL_SAYING.reason({ host, model, said }),
      );
    case 402:
      return make(
        'quota',
        words.PROVIDER_WANTS_MONEY.reason({ host }),
        words.PROVIDER_WANTS_MONEY_SAYING.reason({ host, said }),
      );
    case 429:
      return /insufficient_quota|billing|credit/i.test(said + (error.code ?? ''))
        ? make('quota', words.PROVIDER_QUOTA.reason({ host }), words.PROVIDER_QUOTA_SAYING.reason({ host, said }))
        : make(
            'rate-limited',
            words.PROVIDER_CROWDED.reason({ host }),
            words.PROVIDER_CROWDED_SAYING.reason({ host, said }),
            true,
          );
    case 408:
    case 425:
      return make(
        'timeout',
        words.PROVIDER_GAVE_UP.reason({ host, status }),
        words.PROVIDER_GAVE_UP_SAYING.reason(about),
        true,
      );
    default:
      if (status >= 500)
        return make(
          'server-error',
          outgoingSentences.ANSWERS_FAILED.reason({ host, status }),
          words.PROVIDER_FAILED_SAYING.reason(about),
          true,
        );
      if (status >= 300 && status < 400)
        return make(
          'bad-answer',
          words.PROVIDER_REDIRECTS.reason({ host, status }),
          words.PROVIDER_REDIRECTS_SAYING.reason(about),
        );
      return make(
        'invalid-request',
        words.PROVIDER_REFUSES.reason({ host, status }),
        words.PROVIDER_REFUSES_SAYING.reason(about),
      );
  }
}

const longestQuote = 300;

/** The provider's error message: short, on one line, without the key. */
export function quoteOf(error: unknown, apiKey: string | undefined): string {
  const { message } = (typeof error === 'object' && error !== null ? error : { message: error }) as {
    message?: unknown;
  };
  const text = typeof message === 'string' ? message : JSON.stringify(message ?? error ?? '');
  // Redacted before it is cut: half a key would not be recognized.
  const clean = redact(text.slice(0, 20_000), apiKey === undefined ? [] : [apiKey]).replaceAll(/[\s\p{C}]+/gu, ' ');
  const short = clean.trim().toWellFormed();
  return short.length > longestQuote ? `${short.slice(0, longestQuote).toWellFormed()}…` : short;
}
