import type { IncomingMessage } from 'node:http';

/** Room for one refused chunk: its sender can read the answer and keep using the connection. */
const maxDiscardedBytes = 80 * 1024 * 1024;
const maxDiscardMs = 30_000;

/**
 * Reads on and forgets what is left of a refused body, so that its sender gets the answer instead of a reset connection;
 * the connection of a longer body is closed.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let discardedBytes = 0;
  const timer = setTimeout(() => request.socket.destroy(), maxDiscardMs);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  request
    .on('data', (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes > maxDiscardedBytes) request.socket.destroy();
    })
    .once('end', stop)
    .once('close', stop)
    // A client that disconnects now loses nothing.
    .on('error', stop)
    .resume();
}
