/** The required part of a writable stream, Node's own or another library's. */
export type WritableStream = {
  write(piece: Buffer): boolean;
  readonly destroyed: boolean;
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
};

/** Writes pieces with back-pressure; returns early, without an error, when the stream is destroyed. */
export async function feed(source: AsyncIterable<Buffer>, stream: WritableStream): Promise<void> {
  for await (const piece of source) {
    if (!stream.write(piece)) await room(stream);
    if (stream.destroyed) return;
  }
}

/** Resolves when there is room again, or the stream has closed. */
export function room(stream: WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      stream.off('error', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    stream.on('error', done);
    if (stream.destroyed) done();
  });
}
