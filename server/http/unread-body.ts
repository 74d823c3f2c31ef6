import type { IncomingMessage } from 'node:http';

/** Large enough for one refused chunk: its sender can read the answer and keep using the connection. */
const maxDiscardedBytes = 80 * 1024 * 1024;
const maxDiscardMs = 30_000;

/**
 * Reads and discards the rest of a refused body, so that its sender gets the answer instead of a reset connection; the
 * connection of a longer body is closed. A connection that is to close after the answer is closed after the body:
 * closing it while bytes arrive would reset it, and many clients that send everything before they read would never see
 * the answer.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  let discardedBytes = 0;
  const timer = setTimeout(() => socket.destroy(), maxDiscardMs);
  timer.unref();
  const destroySoon = socket.destroySoon.bind(socket);
  let isToClose = false;
  socket.destroySoon = () => {
    isToClose = true;
    socket.end();
  };
  const stop = (): void => {
    clearTimeout(timer);
    socket.destroySoon = destroySoon;
    if (isToClose) destroySoon();
  };
  request
    .on('data', (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes > maxDiscardedBytes) socket.destroy();
    })
    .once('end', stop)
    .once('close', stop)
    // A client that disconnects now loses nothing.
    .on('error', stop)
    .resume();
}
