// Chunks of PNGs for tests.

/** A chunk of a PNG. */
export function makeChunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crcOf(body));
  return Buffer.concat([length, body, sum]);
}

/** The same PNG with additional chunks before and after its pixels. */
export function withChunks(png: Uint8Array, before: readonly Buffer[], after: readonly Buffer[] = []): Uint8Array {
  const whole = Buffer.from(png);
  const [first, last] = [whole.indexOf('IDAT') - 4, whole.indexOf('IEND') - 4];
  const parts = [whole.subarray(0, first), ...before, whole.subarray(first, last), ...after, whole.subarray(last)];
  return new Uint8Array(Buffer.concat(parts));
}

/** An animated PNG whose further frames are empty: the library reads only the first frame. */
export function animated(png: Uint8Array, frames: number): Uint8Array {
  const counts = Buffer.alloc(8);
  counts.writeUInt32BE(frames);
  const later = Array.from({ length: frames - 1 }, () => makeChunk('fcTL', Buffer.alloc(26)));
  return withChunks(png, [makeChunk('acTL', counts), makeChunk('fcTL', Buffer.alloc(26))], later);
}

/** The checksum of a chunk. */
export function crcOf(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) * 0xedb8_8320);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
