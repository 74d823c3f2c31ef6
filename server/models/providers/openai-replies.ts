import type { Reason } from '../../kernel/sentences/index.ts';
import { isUnmistakable } from '../../secrets/index.ts';
import { ModelCallError } from '../errors.ts';
import { modelSentences } from '../sentences.ts';
import { hasDirection } from '../vector-norm.ts';
import { quoteOf } from './status-errors.ts';
import type { ChatReply, EmbedReply, Usage } from './provider.ts';

type Parsed = Record<string, unknown>;

export function readChat(answer: unknown, host: string, apiKey: string | undefined): ChatReply {
  const usage = readUsage(usageIn(answer));
  return charged(usage, () => ({ ...readMessage(recordOf(answer, host, apiKey), host, apiKey), usage }));
}

function readMessage({ choices }: Parsed, host: string, apiKey: string | undefined): Omit<ChatReply, 'usage'> {
  const choice = (Array.isArray(choices) ? choices[0] : undefined) as
    | { message?: Parsed; finish_reason?: unknown }
    | undefined;
  const message = choice?.message;
  if (typeof message !== 'object' || message === null)
    throw badAnswer(modelSentences.PROVIDER_NO_MESSAGE.reason({ host }));
  const { content, refusal, reasoning_content: reasoning = message['reasoning'] } = message;
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw badAnswer(modelSentences.PROVIDER_NO_TEXT.reason({ host }));
  const text = typeof content === 'string' ? content : typeof refusal === 'string' ? refusal : '';
  const thinking = typeof reasoning === 'string' && reasoning !== '' ? reasoning.toWellFormed() : null;
  if (!text.isWellFormed()) throw badAnswer(modelSentences.PROVIDER_NO_UNICODE.reason({ host }));
  const reason = choice?.finish_reason;
  // Replies are stored: if one repeats the key, it must not be stored in clear text.
  const isHidden = apiKey !== undefined && isUnmistakable(apiKey);
  const storable = (words: string): string =>
    (isHidden ? words.replaceAll(apiKey, '[redacted]') : words).replaceAll('\0', '');
  return {
    text: storable(text),
    thinking: thinking === null ? null : storable(thinking),
    finishReason: typeof reason === 'string' ? reason : null,
  };
}

export function readEmbeddings(answer: unknown, count: number, host: string, apiKey: string | undefined): EmbedReply {
  const reported = readUsage(usageIn(answer));
  const usage = reported === undefined ? undefined : { input: reported.input, output: 0 };
  return charged(usage, () => ({ vectors: readVectors(recordOf(answer, host, apiKey), count, host), usage }));
}

function readVectors({ data }: Parsed, count: number, host: string): Float32Array[] {
  if (!Array.isArray(data)) throw badAnswer(modelSentences.PROVIDER_NO_EMBEDDINGS.reason({ host }));
  if (data.length !== count)
    throw badAnswer(modelSentences.PROVIDER_OTHER_COUNT.reason({ host, count: data.length, texts: count }));
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [position, item] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const index = item?.index ?? position;
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined)
      throw badAnswer(modelSentences.PROVIDER_NO_ORDER.reason({ host }));
    vectors[index] = readVector(item?.embedding, host);
  }
  const complete = vectors.filter((vector) => vector !== undefined);
  const [first] = complete;
  if (complete.some((vector) => vector.length !== first?.length))
    throw badAnswer(modelSentences.PROVIDER_OTHER_LENGTHS.reason({ host }));
  return complete;
}

function readVector(embedding: unknown, host: string): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0)
    throw badAnswer(modelSentences.PROVIDER_NO_VECTOR.reason({ host }));
  const vector = new Float32Array(embedding.length);
  for (const [index, value] of embedding.entries()) {
    vector[index] = typeof value === 'number' ? value : Number.NaN;
    if (!Number.isFinite(vector[index])) throw badAnswer(modelSentences.PROVIDER_NO_NUMBER.reason({ host }));
  }
  if (!hasDirection(vector)) throw badAnswer(modelSentences.PROVIDER_NO_NORM.reason({ host }));
  return vector;
}

export function recordOf(answer: unknown, host: string, apiKey: string | undefined): Parsed {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw badAnswer(modelSentences.PROVIDER_NO_JSON.reason({ host }));
  const { error } = answer as Parsed;
  if (error !== undefined && error !== null && (answer as Parsed)['choices'] === undefined)
    throw new ModelCallError(
      'server-error',
      modelSentences.PROVIDER_ERROR.reason({ host, said: quoteOf(error, apiKey) }),
      {
        retryable: true,
        maybeBilled: true,
        status: 200,
      },
    );
  return answer as Parsed;
}

/** No call uses more tokens; larger figures are invalid. */
const mostTokens = 1_000_000_000;

export function readUsage(usage: unknown): Usage | undefined {
  const { prompt_tokens: input, completion_tokens: output = 0 } = (usage ?? {}) as Parsed;
  const isCount = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= mostTokens;
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function usageIn(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null ? (answer as Parsed)['usage'] : undefined;
}

/** Reads an answer; tokens that the provider reported count even if the answer is refused. */
export function charged<T>(usage: Usage | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ModelCallError && usage !== undefined ? error.withUsage(usage) : error;
  }
}

export function badAnswer(reason: Reason): ModelCallError {
  return new ModelCallError('bad-answer', reason, { retryable: true, maybeBilled: true });
}
