import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './server.ts';

/** A proxy in front of a service that refuses calls like the rate limit. */
export type RateGate = { url: string; /** Calls that were refused, once each. */ refused: readonly string[] };

/** Refuses the first call of each kind that matches, with `Retry-After: 1`, and passes all others on. */
export async function startRateGate(t: Ending, target: string, matching: RegExp): Promise<RateGate> {
  const refused: string[] = [];
  const gate = createServer((request, reply) => {
    const call = `${request.method} ${request.url?.split('?')[0]}`;
    if (matching.test(call) && !refused.includes(call)) {
      refused.push(call);
      request.resume();
      const message = 'Rate limit of 100 calls exceeded; try again in 1 s';
      reply.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
      reply.end(JSON.stringify({ code: 429, message: 'Too Many Requests', error: message }));
      return;
    }
    const { method, headers } = request;
    const onward = httpRequest(`${target}${request.url}`, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    onward.on('error', () => reply.destroy());
    request.pipe(onward);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  t.after(async () => {
    gate.closeAllConnections();
    gate.close();
  });
  return { url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`, refused };
}
