import { once } from 'node:events';
import { createServer, request, Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './server.ts';

/** A minimal load balancer: distributes calls in turn to the nodes that were ready at its last check; it retries nothing. */
export type HttpBalancer = {
  url: string;
  /** The nodes from now on, as `http://127.0.0.1:PORT`. */
  nodes: string[];
  /** Number of calls per node. */
  taken: Map<string, number>;
};

const askEveryMs = 100;

export async function startHttpBalancer(t: Ending, nodes: readonly string[]): Promise<HttpBalancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>(nodes);
  const balancer: HttpBalancer = { url: '', nodes: [...nodes], taken: new Map() };
  let turn = 0;

  async function ask(): Promise<void> {
    await Promise.all(
      balancer.nodes.map(async (node) => {
        const isReady = await fetch(`${node}/readyz`).then(
          async (answer) => {
            await answer.arrayBuffer();
            return answer.status === 200;
          },
          () => false,
        );
        if (isReady) ready.add(node);
        else ready.delete(node);
      }),
    );
    for (const node of ready) if (!balancer.nodes.includes(node)) ready.delete(node);
  }

  const server = createServer((incoming, outgoing) => {
    const targets = [...ready];
    const node = targets[turn++ % Math.max(1, targets.length)];
    if (node === undefined) {
      outgoing.writeHead(502).end('no node is ready');
      return;
    }
    balancer.taken.set(node, (balancer.taken.get(node) ?? 0) + 1);
    const { method = 'GET', url = '/', headers } = incoming;
    const passed = request(`${node}${url}`, { method, headers, agent }, (answer) => {
      const { connection: _connection, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    passed.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(error.message);
    });
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => void ask(), askEveryMs);
  t.after(async () => {
    clearInterval(timer);
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  balancer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return balancer;
}
