import type { OpenAI } from 'openai';
import type { GuardedExchange } from '../../outgoing/index.ts';
import { ModelCallError, WayRefusedError } from '../errors.ts';
import { schemaInstruction } from '../structured-output.ts';
import { createChatStream } from './chat-stream.ts';
import { OpenAiClient, type CallBounds } from './openai-client.ts';
import { readRanking, readRankingUsage } from './ranking-reply.ts';
import type { ChatCall, ChatReply, Provider, SchemaWay } from './provider.ts';
import { readChat, readEmbeddings, recordOf, readUsage, charged } from './openai-replies.ts';
import { toCallError } from './openai-errors.ts';

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
  let sendsStreamUsage = true;

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
    const isAskedForUsage = sendsStreamUsage;
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
      sendsStreamUsage = false;
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
