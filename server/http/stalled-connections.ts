import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which nothing moved for this long is looked at. */
const stallMs = 60_000;

/** Watches connections for clients that stopped in the middle. */
export type StalledConnections = {
  /** Notes a request whose body is on its way. */
  watch(request: IncomingMessage): void;
};

/**
 * Cuts a connection only when its client is the one that stopped: it owes a body and nothing of it waits to be read, or an
 * answer waits to be taken. There is no limit on how long a transfer may take while bytes flow, nor on how long the
 * service may think.
 */
export function cutStalledConnections(server: Server, timeoutMs = stallMs): StalledConnections {
  const receiving = new WeakMap<Socket, IncomingMessage>();
  server.setTimeout(timeoutMs, (socket) => {
    const request = receiving.get(socket);
    const owesBody = request !== undefined && !request.complete && request.readableLength === 0;
    if (owesBody || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(timeoutMs);
  });
  return {
    watch(request) {
      receiving.set(request.socket, request);
    },
  };
}
