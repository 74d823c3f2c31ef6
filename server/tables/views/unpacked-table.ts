import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { unpackArrow } from '../arrow/unpacking-arrow.ts';
import { unpackBzip2 } from '../compression/unpacking-bzip2.ts';
import type { UnpackRequest } from './view-protocol.ts';

const unpackers = { bzip2: unpackBzip2, arrow: unpackArrow };

/** Unpacks a table to a file. Throws CompressedDataProblem, and leaves no file then. */
export function unpackTable({ packed, compression, limits, path }: Omit<UnpackRequest, 'kind'>): void {
  const [from, to] = [openSync(packed.path, 'r'), openSync(path, 'w')];
  try {
    const read = (target: Uint8Array, position: number): number =>
      readSync(from, target, 0, Math.min(target.length, packed.sizeBytes - position), packed.offset + position);
    unpackers[compression]({ read, sizeBytes: packed.sizeBytes }, limits, (bytes) => writeAll(to, bytes));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
