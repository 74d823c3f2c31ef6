import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Watches connections for clients that stopped in the middle. */
export type StalledConnections = {
  /** Notes a request whose body is on its way. */
  watch(request: IncomingMessage): void;
};

/**
 * Cuts a connection on which nothing moved for `timeoutMs` only when its client is the one that stopped: it owes a body and
 * nothing of it waits to be read, or an answer waits to be taken. There is no limit on how long a transfer may take while
 * bytes flow, nor on how long the service may think. `timeoutMs` must not be the server's time for idle connections.
 */
export function cutStalledConnections(server: Server, timeoutMs: number): StalledConnections {
  const receiving = new WeakMap<Socket, IncomingMessage>();
  server.setTimeout(timeoutMs, (socket) => {
    // Between two requests another time holds; whoever listens here has to end the connection when that is over.
    if (socket.timeout !== timeoutMs) {
      socket.destroy();
      return;
    }
    // After a pause of the whole process its time is over before what has come meanwhile is read: look after that.
    const { bytesRead } = socket;
    setImmediate(() => {
      if (socket.bytesRead === bytesRead && standsStill(socket)) socket.destroy();
      else if (!socket.destroyed) socket.setTimeout(timeoutMs);
    });
  });

  function standsStill(socket: Socket): boolean {
    const request = receiving.get(socket);
    const owesBody = request !== undefined && !request.complete && request.readableLength === 0;
    return owesBody || socket.writableLength > 0;
  }

  return {
    watch(request) {
      receiving.set(request.socket, request);
    },
  };
}
