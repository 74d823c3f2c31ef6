import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A connection to a server that can be interrupted like by networks, proxies and firewalls. */
export type TcpProxy = {
  readonly port: number;
  /** Number of open connections. */
  readonly open: number;
  /** Resets every connection, or a share of them. */
  cut(share?: number): void;
  /** Stops forwarding on the connections that are open; new ones are not affected. Data in transit is lost. */
  drop(): void;
  /** Holds all data back, in both directions, until `flow`; new connections are accepted without an answer. */
  stall(): void;
  flow(): void;
  /** Cuts the next connection that sends this text to the server, once it has answered, and discards the answer; undefined: none. */
  cutAfter(text: string | undefined): void;
  /** The texts after which connections were cut. */
  readonly cuts: readonly string[];
  /** Refuses new connections until `admit`. */
  refuse(): void;
  admit(): void;
  close(): Promise<void>;
};

type Link = { client: Socket; server: Socket };

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>();
  let isStalled = false;
  let isRefusing = false;
  let fatal: string | undefined;
  const cuts: string[] = [];

  const listener = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(target);
    const link = { client, server };
    links.add(link);
    const end = (): void => {
      links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
      if (isStalled) socket.pause();
    }
    client.on('data', (bytes: Buffer) => {
      server.write(bytes);
      if (fatal === undefined || !bytes.includes(fatal)) return;
      cuts.push(fatal);
      fatal = undefined;
      // The server's answer is discarded: its arrival shows that the request has been executed.
      server.removeAllListeners('data');
      server.once('data', () => client.resetAndDestroy());
    });
    server.on('data', (bytes: Buffer) => client.write(bytes));
    if (isStalled) for (const socket of [client, server]) socket.pause();
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  function cut(share = 1): void {
    const all = [...links];
    for (const { client, server } of all.slice(0, Math.ceil(all.length * share))) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  return {
    port: (listener.address() as AddressInfo).port,
    get open() {
      return links.size;
    },
    cut,
    drop() {
      for (const { client, server } of links) {
        client.removeAllListeners('data');
        server.removeAllListeners('data');
        client.resume();
        server.resume();
      }
    },
    stall() {
      isStalled = true;
      for (const { client, server } of links) for (const socket of [client, server]) socket.pause();
    },
    flow() {
      isStalled = false;
      for (const { client, server } of links) for (const socket of [client, server]) socket.resume();
    },
    cutAfter(text) {
      fatal = text;
    },
    cuts,
    refuse() {
      isRefusing = true;
    },
    admit() {
      isRefusing = false;
    },
    async close() {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** The same address with another port. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
