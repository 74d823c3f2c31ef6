import { api, dataOf } from '../../api/client.ts';
import { ApiError, parseError } from '../../api/errors.ts';
import type { RagAnswer } from '../../api/schema.ts';
import { readEvents } from './event-reader.ts';

/** Asks a model to answer from a knowledge base; `onText` gets the growing answer. Throws the service's error if it fails. */
export async function askForAnswer(
  knowledgeBaseId: string,
  question: { query: string; model: string },
  { signal, onText }: { signal: AbortSignal; onText: (part: string) => void },
): Promise<RagAnswer> {
  const stream = (await dataOf(
    api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/answer', {
      params: { path: { knowledgeBaseId } },
      body: { ...question, stream: true },
      parseAs: 'stream',
      signal,
    }),
  )) as unknown as ReadableStream<Uint8Array>;
  for await (const { name, data } of readEvents(stream)) {
    if (name === 'delta') onText((JSON.parse(data) as { text: string }).text);
    else if (name === 'done') return JSON.parse(data) as RagAnswer;
    else if (name === 'error') throw errorOfEvent(data);
  }
  throw new ApiError({
    status: 502,
    code: 'BROKEN_OFF',
    message: 'The answer broke off',
    requestId: undefined,
    retryAfterSeconds: undefined,
  });
}

function errorOfEvent(data: string): ApiError {
  const { code } = JSON.parse(data) as { code?: unknown };
  return parseError(typeof code === 'number' ? code : 500, new Headers(), data);
}
