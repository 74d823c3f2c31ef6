import type { ServerResponse } from 'node:http';
import type { ByteStream } from '../kernel/byte-source.ts';
import { type SendBufferPool, largestBufferBytes, smallestBufferBytes } from './send-buffer-pool.ts';

const firstPieceBytes = 64 * 1024;
const growth = 4;
/** A piece sent in less than the first time makes the next one larger; one that takes over the second, smaller. */
const quickMs = 50;
const slowMs = 500;

/** Bytes being sent to one client. The first are read in advance, so that an unreadable source fails before the headers. */
export type Pump = {
  /** Sends the bytes; resolves when the client has them or has disconnected, throws if the source fails (without ending the response). */
  run(response: ServerResponse): Promise<void>;
};

/**
 * Prepares to send exactly `sizeBytes` (at least 1) bytes of `stream`, which it always closes. While one piece is
 * being sent the next is read; a piece is read only after the one before the last was sent, so a slow client holds two
 * small buffers and nothing more.
 */
export async function openPump(stream: ByteStream, sizeBytes: number, pool: SendBufferPool): Promise<Pump> {
  let remainingBytes = sizeBytes;
  let pieceBytes = firstPieceBytes;

  /** The next piece, in a buffer of the pool. */
  async function readPiece(): Promise<{ buffer: Buffer; bytes: Buffer }> {
    const buffer = pool.take(pieceBytes);
    try {
      const wanted = Math.min(buffer.length, remainingBytes);
      const read = await stream.fill(buffer.subarray(0, wanted));
      if (read !== wanted) throw new Error(`The source ended ${remainingBytes - read} bytes early`);
      remainingBytes -= read;
      return { buffer, bytes: buffer.subarray(0, read) };
    } catch (error) {
      pool.give(buffer);
      throw error;
    }
  }

  function adapt(durationMs: number): void {
    if (durationMs < quickMs) pieceBytes = Math.min(pieceBytes * growth, largestBufferBytes);
    else if (durationMs > slowMs) pieceBytes = Math.max(pieceBytes / growth, smallestBufferBytes);
  }

  let piece: { buffer: Buffer; bytes: Buffer } | undefined;
  try {
    piece = await readPiece();
  } catch (error) {
    await stream.close();
    throw error;
  }

  return {
    async run(response) {
      const client = watchClient(response);
      let sending: Promise<void> | undefined;
      try {
        while (piece !== undefined && !client.gone) {
          const { buffer, bytes } = piece;
          piece = undefined;
          const startedAt = performance.now();
          sending = client.send(bytes, remainingBytes === 0).then(() => {
            pool.give(buffer);
            adapt(performance.now() - startedAt);
          });
          if (remainingBytes > 0) piece = await readPiece();
          await sending;
        }
      } finally {
        if (piece !== undefined) pool.give(piece.buffer);
        client.release();
        await stream.close();
      }
    },
  };
}

type Client = {
  readonly gone: boolean;
  /** Resolves when the bytes were sent or never will be: their memory can be reused. */
  send(bytes: Uint8Array, last: boolean): Promise<void>;
  release(): void;
};

function watchClient(response: ServerResponse): Client {
  // A response queued behind an earlier one of its connection has no socket yet.
  const socket = response.req.socket;
  let gone = false;
  let forget: (() => void) | undefined;
  const leave = (): void => {
    gone = true;
    forget?.();
  };
  socket.once('close', leave);
  response.once('close', leave);
  return {
    get gone() {
      // The socket is destroyed before its event is emitted; until then every write would succeed without effect.
      return gone || response.destroyed || socket.destroyed;
    },
    send(bytes, last) {
      return new Promise((resolve) => {
        // After `close` of the socket, no write refers to the bytes any more.
        forget = resolve;
        if (last) response.end(bytes, () => resolve());
        else response.write(bytes, () => resolve());
      });
    },
    release() {
      socket.off('close', leave);
      response.off('close', leave);
    },
  };
}
