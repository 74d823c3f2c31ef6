import { APIConnectionError, APIError, APIUserAbortError, type OpenAI } from 'openai';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { capitalized } from '../../kernel/sentences/index.ts';
import type { GuardedExchange } from '../../outgoing/index.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import { isUnmistakable } from '../../secrets/index.ts';
import { ModelCallError, WayRefusedError, type CallProblem } from '../errors.ts';
import { modelSentences } from '../sentences.ts';
import { schemaInstruction } from '../structured-output.ts';
import { hasDirection } from '../vector-norm.ts';
import { createChatStream } from './chat-stream.ts';
import { EncodingError, OpenAiClient, type CallBounds } from './openai-client.ts';
import { readRanking, readRankingUsage } from './ranking-reply.ts';
import { fromStatus, quoteOf, type AnsweredError } from './status-errors.ts';
import type { ChatCall, ChatReply, EmbedReply, Provider, SchemaWay, Usage } from './provider.ts';

const mebibyte = 1024 * 1024;
/** A reply of many tokens is a few hundred kilobytes; a batch of embeddings about ten megabytes. */
const maxReplyBytes = 16 * mebibyte;
const maxEmbeddingsBytes = 128 * mebibyte;

/** A provider with OpenAI's API at any address. */
export function createOpenAiCompatible(options: {
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
  exchange: GuardedExchange;
}): Provider {
  const { baseUrl, model, apiKey } = options;
  const host = new URL(baseUrl).host;
  // Recent models reject the older name of the limit; many servers accept only that one.
  let tokenLimit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';
  // Some servers reject the request for the usage of a stream.
  let tellsStreamUsage = true;

  const client = new OpenAiClient(options);

  /** Makes a request and translates its errors. */
  async function call<T>(
    {
      timeoutMs,
      signal,
      maxBytes,
      onPart,
    }: { timeoutMs: number; signal: AbortSignal | undefined } & Pick<CallBounds, 'maxBytes' | 'onPart'>,
    request: (options: OpenAI.RequestOptions) => Promise<T>,
  ): Promise<T> {
    const progress = { isSent: false };
    try {
      const bounds: CallBounds = { totalMs: timeoutMs, maxBytes, onPart, progress };
      return await request({
        // The time limit is enforced where the request is sent; the client's own timeout is only a fallback.
        timeout: timeoutMs + 5_000,
        fetchOptions: bounds as NonNullable<OpenAI.RequestOptions['fetchOptions']>,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw toCallError(error, { host, model, apiKey, isSent: progress.isSent });
    }
  }

  /** A reply whose text is passed on as it arrives. */
  async function streamChat(
    chat: ChatCall,
    body: OpenAI.ChatCompletionCreateParamsNonStreaming,
    onText: (part: string) => void,
  ): Promise<ChatReply> {
    const stream = createChatStream({ host, apiKey, onText });
    const isAskedForUsage = tellsStreamUsage;
    const streamed = { ...body, stream: true, ...(isAskedForUsage ? { stream_options: { include_usage: true } } : {}) };
    try {
      const onPart: CallBounds['onPart'] = (part, { status, headers }) => {
        if (status < 300 && /^text\/event-stream\b/i.test(String(headers['content-type']))) stream.push(part);
      };
      const answer: unknown = await call({ ...chat, maxBytes: maxReplyBytes, onPart }, (requestOptions) =>
        client.post('/chat/completions', { ...requestOptions, body: streamed }),
      );
      // A server without streaming answers with the whole reply.
      return typeof answer === 'string' ? readChat(stream.finish(), host, apiKey) : readChat(answer, host, apiKey);
    } catch (thrown) {
      const usage = readUsage(stream.usage());
      const error = thrown instanceof ModelCallError && usage !== undefined ? thrown.withUsage(usage) : thrown;
      const isRefused = error instanceof ModelCallError && (error.status === 400 || error.status === 422);
      if (!isAskedForUsage || !isRefused || !/stream_options|include_usage/.test(error.message)) throw error;
      tellsStreamUsage = false;
      throw new WayRefusedError(error);
    }
  }

  return {
    async chat(chat, way) {
      const name = tokenLimit;
      try {
        const body = chatBody(model, chat, way, name);
        if (chat.onText !== undefined) return await streamChat(chat, body, chat.onText);
        const answer: unknown = await call({ ...chat, maxBytes: maxReplyBytes }, (requestOptions) =>
          client.chat.completions.create(body, requestOptions),
        );
        return readChat(answer, host, apiKey);
      } catch (error) {
        const wantsOther = name === 'max_tokens' && error instanceof ModelCallError && error.status === 400;
        if (!wantsOther || !error.message.includes('max_completion_tokens')) throw error;
        tokenLimit = 'max_completion_tokens';
        throw new WayRefusedError(error);
      }
    },
    async embed(embed) {
      const answer: unknown = await call({ ...embed, maxBytes: maxEmbeddingsBytes }, (requestOptions) =>
        client.embeddings.create({ model, input: [...embed.texts], encoding_format: 'float' }, requestOptions),
      );
      return readEmbeddings(answer, embed.texts.length, host, apiKey);
    },
    /** The rerank request of Cohere, Jina, vLLM and others; OpenAI's API has none. */
    async rerank({ query, documents, ...bounds }) {
      const body = { model, query, documents: [...documents], top_n: documents.length };
      const answer: unknown = await call({ ...bounds, maxBytes: maxReplyBytes }, (requestOptions) =>
        client.post('/rerank', { ...requestOptions, body }),
      );
      const usage = readRankingUsage(answer);
      return charged(usage, () => ({
        scores: readRanking(recordOf(answer, host, apiKey), documents.length, host),
        usage,
      }));
    },
  };
}

function chatBody(
  model: string,
  { messages, parameters, schema }: ChatCall,
  way: SchemaWay,
  tokenLimit: 'max_tokens' | 'max_completion_tokens',
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const { temperature, topP, maxTokens, seed, stop, frequencyPenalty, presencePenalty } = parameters;
  const optional = {
    temperature,
    top_p: topP,
    seed,
    stop,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const told = schema === undefined || way === 'json_schema' ? messages : [...messages, schemaInstruction(schema)];
  return {
    model,
    messages: told.map(({ role, content }) => ({ role, content })),
    [tokenLimit]: maxTokens,
    ...given,
    ...(schema === undefined || way === 'prompt' ? {} : { response_format: responseFormat(schema, way) }),
  };
}

function responseFormat(schema: Readonly<Record<string, unknown>>, way: 'json_schema' | 'json_object') {
  return way === 'json_object'
    ? ({ type: 'json_object' } as const)
    : ({ type: 'json_schema', json_schema: { name: 'reply', schema: { ...schema } } } as const);
}

type Parsed = Record<string, unknown>;

function readChat(answer: unknown, host: string, apiKey: string | undefined): ChatReply {
  const usage = readUsage(usageIn(answer));
  return charged(usage, () => ({ ...readMessage(recordOf(answer, host, apiKey), host, apiKey), usage }));
}

function readMessage({ choices }: Parsed, host: string, apiKey: string | undefined): Omit<ChatReply, 'usage'> {
  const choice = (Array.isArray(choices) ? choices[0] : undefined) as
    | { message?: Parsed; finish_reason?: unknown }
    | undefined;
  const message = choice?.message;
  if (typeof message !== 'object' || message === null)
    throw badAnswer(`${host} answered without a message; is this the address of an OpenAI-compatible API?`);
  const { content, refusal, reasoning_content: reasoning = message['reasoning'] } = message;
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw badAnswer(`${host} answered with a message whose content is no text`);
  const text = typeof content === 'string' ? content : typeof refusal === 'string' ? refusal : '';
  const thinking = typeof reasoning === 'string' && reasoning !== '' ? reasoning.toWellFormed() : null;
  if (!text.isWellFormed()) throw badAnswer(`${host} answered with a text that is no valid Unicode`);
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

function readEmbeddings(answer: unknown, count: number, host: string, apiKey: string | undefined): EmbedReply {
  const told = readUsage(usageIn(answer));
  const usage = told === undefined ? undefined : { input: told.input, output: 0 };
  return charged(usage, () => ({ vectors: readVectors(recordOf(answer, host, apiKey), count, host), usage }));
}

function readVectors({ data }: Parsed, count: number, host: string): Float32Array[] {
  if (!Array.isArray(data)) throw badAnswer(`${host} answered without embeddings; is this an embedding model?`);
  if (data.length !== count) throw badAnswer(`${host} answered with ${data.length} embeddings for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [position, item] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const index = item?.index ?? position;
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined)
      throw badAnswer(`${host} answered with embeddings whose order can not be told`);
    vectors[index] = readVector(item?.embedding, host);
  }
  const complete = vectors.filter((vector) => vector !== undefined);
  const [first] = complete;
  if (complete.some((vector) => vector.length !== first?.length))
    throw badAnswer(`${host} answered with embeddings of different lengths`);
  return complete;
}

function readVector(embedding: unknown, host: string): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0)
    throw badAnswer(`${host} answered with an embedding that is no list of numbers`);
  const vector = new Float32Array(embedding.length);
  for (const [index, value] of embedding.entries()) {
    vector[index] = typeof value === 'number' ? value : Number.NaN;
    if (!Number.isFinite(vector[index])) throw badAnswer(`${host} answered with an embedding that holds no number`);
  }
  if (!hasDirection(vector))
    throw badAnswer(`${host} answered with an embedding whose norm is 0 or too large, which no search would find`);
  return vector;
}

function recordOf(answer: unknown, host: string, apiKey: string | undefined): Parsed {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw badAnswer(`${host} answered with something else than JSON; is this the address of an OpenAI-compatible API?`);
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

function readUsage(usage: unknown): Usage | undefined {
  const { prompt_tokens: input, completion_tokens: output = 0 } = (usage ?? {}) as Parsed;
  const isCount = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= mostTokens;
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function usageIn(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null ? (answer as Parsed)['usage'] : undefined;
}

/** Reads an answer; tokens that the provider reported count even if the answer is refused. */
function charged<T>(usage: Usage | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ModelCallError && usage !== undefined ? error.withUsage(usage) : error;
  }
}

function badAnswer(message: string): ModelCallError {
  return new ModelCallError('bad-answer', message, { retryable: true, maybeBilled: true });
}

type About = { host: string; model: string; apiKey: string | undefined; isSent: boolean };

/** Translates an error into a plain message; the provider's own text is shortened and the key removed from it. */
function toCallError(error: unknown, about: About): ModelCallError {
  if (error instanceof ModelCallError) return error;
  const outgoing = findOutgoing(error);
  if (outgoing !== undefined) return fromOutgoing(outgoing);
  if (error instanceof APIUserAbortError)
    return new ModelCallError('aborted', 'The call was stopped', { sent: about.isSent, maybeBilled: about.isSent });
  if (error instanceof APIError && error.status !== undefined) return fromStatus(error as AnsweredError, about);
  if (error instanceof APIConnectionError)
    return new ModelCallError('unreachable', `${about.host} could not be reached`, {
      retryable: true,
      maybeBilled: true,
    });
  if (error instanceof EncodingError) return badAnswer(`${about.host} answered with bytes that are no UTF-8`);
  // Invalid JSON with a JSON content type.
  return badAnswer(`${about.host} answered with JSON that is damaged`);
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
