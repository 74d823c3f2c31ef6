import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Reads one JSON object per line, of any length. */
export async function* readObjects(input: Readable): AsyncGenerator {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as unknown;
  }
}

/** Writes objects in order; each call resolves when the stream takes more. */
export function createObjectLines(output: Writable): (object: object) => Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  return (object) => {
    const line = `${JSON.stringify(object)}\n`;
    const written = before.then(async () => {
      if (output.destroyed) throw new Error('The other side has closed the connection');
      if (!output.write(line)) await once(output, 'drain');
    });
    before = written.catch(() => {});
    return written;
  };
}
