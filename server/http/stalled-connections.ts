import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Detects connections whose clients stopped in the middle. */
export type StalledConnections = {
  /** Registers a request whose body is arriving. */
  watch(request: IncomingMessage): void;
};

/**
 * Closes a connection without traffic for `timeoutMs` only when its client is the one that stopped: part of its body is
 * missing and none is waiting to be read, or an answer is waiting to be received. Transfers may take any time while
 * bytes flow, and so may the service. `timeoutMs` must differ from the server's keep-alive timeout.
 */
export function cutStalledConnections(server: Server, timeoutMs: number): StalledConnections {
  const receiving = new WeakMap<Socket, IncomingMessage>();
  server.setTimeout(timeoutMs, (socket) => {
    // Between two requests another timeout applies; a listener here must close the connection when that expires.
    if (socket.timeout !== timeoutMs) {
      socket.destroy();
      return;
    }
    // After a pause of the whole process the timeout fires before waiting input is read, so read first and check again.
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
