import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory that two processes share through unlinked files: this side writes the one, the other side the other. */
export type Exchange = {
  /** Descriptors for the process: one for requests, read-only, and one for answers. */
  readonly requests: number;
  readonly answers: number;
  /** Writes a request to a place; false if there is no room, in which case it must go through the pipe. */
  write(place: number, bytes: Uint8Array): boolean;
  /** The answer at a place; its buffer is reused for the next one. */
  read(place: number, length: number): Buffer;
  close(): void;
};

/** Size of a place, for one request or one answer; larger ones go through the pipe. */
export const placeBytes = 4 << 20;
/** More than the maximum number of requests in flight. */
export const places = 4;

/** Undefined if such files can not be created: everything goes through the pipe. */
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

/** Creates a file and opens it for writing and for reading; in memory if the system supports it. */
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
      // Try the next folder.
    }
  }
  throw new RangeError('There is no place for a shared file');
}

function closeAll(files: number[]): void {
  for (const file of files.splice(0)) closeSync(file);
}
