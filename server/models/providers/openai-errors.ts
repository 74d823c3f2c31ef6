import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { capitalized } from '../../kernel/sentences/index.ts';
import { OutgoingError, outgoingSentences } from '../../outgoing/index.ts';
import { ModelCallError, type CallProblem } from '../errors.ts';
import { EncodingError } from './openai-client.ts';
import { fromStatus, type AnsweredError } from './status-errors.ts';
import { badAnswer } from './openai-replies.ts';
import { modelSentences } from '../sentences.ts';

type About = { host: string; model: string; apiKey: string | undefined; isSent: boolean };

/** Translates an error into a plain message; the provider's own text is shortened and the key removed from it. */
export function toCallError(error: unknown, about: About): ModelCallError {
  if (error instanceof ModelCallError) return error;
  const outgoing = findOutgoing(error);
  if (outgoing !== undefined) return fromOutgoing(outgoing);
  if (error instanceof APIUserAbortError)
    return new ModelCallError('aborted', capitalized(outgoingSentences.CALL_STOPPED.reason({})), {
      sent: about.isSent,
      maybeBilled: about.isSent,
    });
  if (error instanceof APIError && error.status !== undefined) return fromStatus(error as AnsweredError, about);
  if (error instanceof APIConnectionError)
    return new ModelCallError('unreachable', modelSentences.PROVIDER_UNREACHED.reason({ host: about.host }), {
      retryable: true,
      maybeBilled: true,
    });
  if (error instanceof EncodingError) return badAnswer(modelSentences.PROVIDER_NO_UTF8.reason({ host: about.host }));
  // Invalid JSON with a JSON content type.
  return badAnswer(modelSentences.PROVIDER_DAMAGED_JSON.reason({ host: about.host }));
}

function findOutgoing(error: unknown): OutgoingError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof OutgoingError) return cause;
  return undefined;
}

const problems: Record<OutgoingError['problem'], CallProblem> = {
  'invalid-url': 'invalid-request',
  forbidden: 'forbidden',
  unresolvable: 'unreachable',
  unreachable: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  'too-large': 'bad-answer',
  redirect: 'bad-answer',
  'cut-off': 'unreachable',
  protocol: 'bad-answer',
  aborted: 'aborted',
};

function fromOutgoing(error: OutgoingError): ModelCallError {
  const { problem, sent } = error;
  const retryable = ['unresolvable', 'unreachable', 'timeout', 'cut-off'].includes(problem);
  const maybeBilled = sent && problem !== 'redirect';
  return new ModelCallError(problems[problem], capitalized(reasonOf(error)), { retryable, sent, maybeBilled });
}
