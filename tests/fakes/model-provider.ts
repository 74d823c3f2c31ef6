import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from '../support/server.ts';

export type ProviderRequest = {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model?: string;
    messages?: { role: string; content: string }[];
    input?: string[];
    max_tokens?: number;
    max_completion_tokens?: number;
    encoding_format?: string;
    response_format?: { type: string };
    stream?: boolean;
    stream_options?: { include_usage: boolean };
  };
};

export type Answer = (request: ProviderRequest, response: ServerResponse, raw: IncomingMessage) => unknown;

/** A fake provider of models that can misbehave: it responds as configured, and records its requests. */
export type FakeProvider = {
  /** The `baseUrl` for a model. */
  baseUrl: string;
  requests: ProviderRequest[];
  /** The highest number of requests open at once. */
  mostOpen: number;
  /** How it responds from now on. */
  answer: Answer;
};

export async function startProvider(t: Ending, answer: Answer = replyWith('OK')): Promise<FakeProvider> {
  let open = 0;
  const provider: FakeProvider = { baseUrl: '', requests: [], mostOpen: 0, answer };
  const server = createServer((raw, response) => {
    open += 1;
    provider.mostOpen = Math.max(provider.mostOpen, open);
    response.once('close', () => (open -= 1));
    const parts: Buffer[] = [];
    raw
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const text = Buffer.concat(parts).toString();
        const body = (text === '' ? {} : JSON.parse(text)) as ProviderRequest['body'];
        const request = { path: raw.url ?? '', headers: raw.headers, body };
        provider.requests.push(request);
        provider.answer(request, response, raw);
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  provider.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return provider;
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function completion(text: string, usage: object | null = { prompt_tokens: 10, completion_tokens: 5 }): object {
  return {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  };
}

/** A streamed reply as server-sent events; with `isBroken` it lacks `usage` and the end. */
export function streamed(parts: readonly string[], { isBroken = false } = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const event = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\r\n\r\n`);
    for (const content of parts) event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    if (isBroken) return void response.end();
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } });
    response.end('data: [DONE]\n\n');
  };
}

/** The same reply to every request, after a delay. */
export function replyWith(text: string, { afterMs = 0 } = {}): Answer {
  return (_request, response) => {
    if (afterMs === 0) send(response, 200, completion(text));
    else setTimeout(() => send(response, 200, completion(text)), afterMs);
  };
}

/** One response after the other; the last one repeats. */
export function inTurn(...answers: Answer[]): Answer {
  let next = 0;
  return (...args) => answers[Math.min(next++, answers.length - 1)]?.(...args);
}

export function refuse(status: number, message: string, headers: Record<string, string> = {}, code?: string): Answer {
  return (_request, response) => send(response, status, { error: { message, code: code ?? null } }, headers);
}

/** Embeddings of three numbers, derived from each text's length. */
export function embeddings(request: ProviderRequest, response: ServerResponse): void {
  const data = (request.body.input ?? []).map((text, index) => ({ index, embedding: [text.length, 1, 0.5] }));
  send(response, 200, { data, usage: { prompt_tokens: 7, total_tokens: 7 } });
}
