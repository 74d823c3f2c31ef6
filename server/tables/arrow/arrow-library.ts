import { createRequire } from 'node:module';
import { zstdDecompressSync } from 'node:zlib';
import type * as arrowTypes from 'apache-arrow';
import type * as footerTypes from 'apache-arrow/ipc/metadata/file';
import type * as lz4Types from 'lz4-napi';
import { inputProblems } from '../../kernel/sentences/index.ts';
import { CompressedDataProblem } from '../compression/unpack-gauge.ts';

/** The Arrow library. */
export type Arrow = typeof arrowTypes;

/** Limit for one message, both stored and unpacked: it is held in memory as a whole. */
export const maxMessageBytes = 512 << 20;

let loaded: Arrow | undefined;
/** Unpacked bytes of the current message. */
let unpackedBytes = 0;

/** Loads the library on first use: loading takes as long as starting a worker. */
export function loadArrow(): Arrow {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const arrow = require('apache-arrow') as Arrow;
  const { compressionRegistry, CompressionType } = arrow;
  compressionRegistry.set(CompressionType.ZSTD, {
    decode: (data) => counted(zstdDecompressSync(data, { maxOutputLength: maxMessageBytes })),
  });
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode(data) {
      const { decompressFrameSync } = require('lz4-napi') as typeof lz4Types;
      if (lz4FrameBound(data) > maxMessageBytes) throw tooLarge();
      return counted(decompressFrameSync(Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
    },
  });
  loaded = arrow;
  return arrow;
}

/** The decoder of footers, which the library does not export by name. */
export function loadFooters(): typeof footerTypes.Footer {
  const { Footer } = createRequire(import.meta.url)('apache-arrow/ipc/metadata/file') as typeof footerTypes;
  return Footer;
}

/** Resets the count of unpacked bytes for a new message. */
export function beginMessage(): void {
  unpackedBytes = 0;
}

function counted(bytes: Uint8Array): Uint8Array {
  unpackedBytes += bytes.length;
  if (unpackedBytes > maxMessageBytes) throw tooLarge();
  return bytes;
}

export function tooLarge(): CompressedDataProblem {
  return new CompressedDataProblem(inputProblems.ARROW_LARGE_BATCH.reason({ limit: maxMessageBytes >> 20 }), {
    keepsBefore: true,
  });
}

const lz4Magic = 0x18_4d_22_04;

/** An upper bound for the unpacked size of an LZ4 frame, from its blocks: the library itself has no limit. */
export function lz4FrameBound(frame: Uint8Array): number {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== lz4Magic) throw new RangeError('no LZ4 frame');
  const flags = view.getUint8(4);
  const blockBytes = 1 << (8 + 2 * ((view.getUint8(5) >> 4) & 7));
  const hasBlockChecksums = (flags & 0x10) !== 0;
  let at = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
  let bound = 0;
  for (;;) {
    const length = view.getUint32(at, true) & 0x7f_ff_ff_ff;
    if (length === 0) return bound;
    bound += blockBytes;
    at += 4 + length + (hasBlockChecksums ? 4 : 0);
  }
}
