import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A place in memory that two processes share as files without a name: one is written on this side, one on the other. */
export type Exchange = {
  /** Descriptors for the process: of the requests, only to be read, and of the answers. */
  readonly requests: number;
  readonly answers: number;
  /** Writes a request at a place; false if there is no room: it goes through the pipe. */
  write(place: number, bytes: Uint8Array): boolean;
  /** The answer at a place; its memory is used again for the next one. */
  read(place: number, length: number): Buffer;
  close(): void;
};

/** Room for one request or one answer; larger ones go through the pipe. */
export const placeBytes = 4 << 20;
/** More than requests without an answer. */
export const places = 4;

/** Undefined where no such file can be made: all goes through the pipe. */
export function openExchange(): Exchange | undefined {
  const opened: number[] = [];
  try {
    const [writing, requests] = openTwice(opened);
    const [answers, reading] = openTwice(opened);
    const scratch = Buffer.allocUnsafeSlow(placeBytes);
    return {
      requests,
      answers,
      write(place, bytes) {
        try {
          writeAll(writing, bytes, place * placeBytes);
          return true;
        } catch {
          return false;
        }
      },
      read(place, length) {
        const target = scratch.subarray(0, length);
        readAll(reading, target, place * placeBytes);
        return target;
      },
      close: () => closeAll(opened),
    };
  } catch {
    closeAll(opened);
    return undefined;
  }
}

export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, position + at);
}

export function readAll(file: number, target: Uint8Array, position: number): void {
  for (let at = 0; at < target.length;) {
    const got = readSync(file, target, at, target.length - at, position + at);
    if (got === 0) throw new RangeError('It ends too early');
    at += got;
  }
}

/** A new file, for writing and for reading, in memory where the system has it. */
function openTwice(opened: number[]): [writing: number, reading: number] {
  const name = `tilth-sandbox-${randomBytes(12).toString('hex')}`;
  for (const folder of ['/dev/shm', tmpdir()]) {
    const path = join(folder, name);
    try {
      const writing = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
      opened.push(writing);
      const reading = openSync(path, constants.O_RDONLY);
      opened.push(reading);
      rmSync(path);
      return [writing, reading];
    } catch {
      // The next folder may do.
    }
  }
  throw new RangeError('There is no place for a shared file');
}

function closeAll(files: number[]): void {
  for (const file of files.splice(0)) closeSync(file);
}
