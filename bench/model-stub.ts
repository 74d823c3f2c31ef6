// A provider that answers every chat after a fixed delay, in its own process: `node bench/model-stub.ts MS` prints its
// port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const afterMs = Number(process.argv[2]);
const body = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(400) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 200, completion_tokens: 100 },
});
const headers = { 'content-type': 'application/json', 'content-length': body.length };

const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(200, headers).end(body), afterMs);
}).listen(0, '127.0.0.1', 4096, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
