import { SourceError } from './connector.ts';
import { sourceSentences } from './sentences.ts';

/** Limit for objects held in memory: trees, and objects stored as deltas. By default Git does not deltify larger files. */
export const maxWholeBytes = 256 * 1024 * 1024;

/** Applies a delta to its base. Throws SourceError. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const next = (): number => {
    const byte = delta[at];
    if (byte === undefined) throw broken('a difference ends too early');
    at += 1;
    return byte;
  };
  const size = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = next();
      value += (byte & 127) * scale;
      if ((byte & 128) === 0) return value;
    }
  };
  const baseBytes = size();
  const resultBytes = size();
  if (baseBytes !== base.length) throw broken('a difference is to an object of another size');
  if (resultBytes > maxWholeBytes)
    throw new SourceError(sourceSentences.OBJECT_TOO_LARGE.reason({ size: resultBytes, limit: maxWholeBytes }));
  const result = Buffer.allocUnsafe(resultBytes);
  let filled = 0;
  while (at < delta.length) {
    const command = next();
    let [from, length] = [0, command];
    if ((command & 128) !== 0) {
      length = 0;
      for (let bit = 0; bit < 4; bit += 1) if ((command & (1 << bit)) !== 0) from += next() * 256 ** bit;
      for (let bit = 0; bit < 3; bit += 1) if ((command & (16 << bit)) !== 0) length += next() * 256 ** bit;
      if (length === 0) length = 65_536;
    }
    const source = (command & 128) === 0 ? delta : base;
    if (command === 0) throw broken('a difference has an unknown command');
    if (source === delta) [from, at] = [at, at + length];
    if (from + length > source.length || filled + length > resultBytes) throw broken('a difference leads outside');
    source.copy(result, filled, from, from + length);
    filled += length;
  }
  if (filled !== resultBytes) throw broken('a difference ends too early');
  return result;
}

export function broken(problem: string, cause?: unknown): SourceError {
  return new SourceError(sourceSentences.PACK_BROKEN.reason({ why: problem }), { cause });
}
