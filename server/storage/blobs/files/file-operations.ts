import fs from 'node:fs';
import { mkdir, readdir, rename, stat, unlink } from 'node:fs/promises';

/**
 * The system calls that the store makes, as an object so that tests can make any of them fail. Everything runs in the thread
 * pool: the event loop never waits for the disk. Positions and lengths are bytes.
 */
export type FileOperations = {
  open(path: string, flags: number): Promise<number>;
  close(fd: number): Promise<void>;
  /** One pread; 0 at the end of the file. */
  read(fd: number, target: Uint8Array, position: number): Promise<number>;
  /** One pwrite; may write less than requested. */
  write(fd: number, bytes: Uint8Array, position: number): Promise<number>;
  /** fdatasync: the bytes and the metadata needed to find them. */
  syncData(fd: number): Promise<void>;
  /** fsync of a directory's entries. */
  syncDirectory(path: string): Promise<void>;
  size(fd: number): Promise<number>;
  sizeOf(path: string): Promise<number>;
  truncate(fd: number, length: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  list(path: string): Promise<string[]>;
};

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

function call<T>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    start((error, value) => {
      if (error === null) resolve(value);
      else reject(error);
    }),
  );
}

const open = (path: string, flags: number): Promise<number> => call((done) => fs.open(path, flags, 0o600, done));
const close = (fd: number): Promise<void> => call<void>((done) => fs.close(fd, (error) => done(error ?? null)));

export const fileOperations: FileOperations = {
  open,
  close,
  read: (fd, target, position) => call((done) => fs.read(fd, target, 0, target.length, position, done)),
  write: (fd, bytes, position) => call((done) => fs.write(fd, bytes, 0, bytes.length, position, done)),
  syncData: (fd) => call<void>((done) => fs.fdatasync(fd, (error) => done(error))),
  async syncDirectory(path) {
    const fd = await open(path, fs.constants.O_RDONLY);
    try {
      await call<void>((done) => fs.fsync(fd, (error) => done(error)));
    } finally {
      await close(fd);
    }
  },
  size: (fd) => call<number>((done) => fs.fstat(fd, (error, stats) => done(error, error === null ? stats.size : 0))),
  async sizeOf(path) {
    return (await stat(path)).size;
  },
  truncate: (fd, length) => call<void>((done) => fs.ftruncate(fd, length, (error) => done(error))),
  rename,
  unlink,
  async makeDirectory(path) {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
      if (code !== 'ENOENT') throw error;
      // Only for missing parents: with `recursive`, Node reports ENOENT for a failing disk.
      await mkdir(path, { recursive: true, mode: 0o700 });
    }
  },
  list: (path) => readdir(path),
};

/** Writes all of `bytes`; a write that makes no progress counts as a full disk. */
export async function writeAll(
  operations: FileOperations,
  fd: number,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = written === 0 ? bytes : bytes.subarray(written);
    const count = await operations.write(fd, rest, position + written);
    if (count === 0) throw Object.assign(new Error('ENOSPC: nothing was written'), { code: 'ENOSPC' });
    written += count;
  }
}

/** Reads until `target` is full or the file ends; returns the number of bytes. */
export async function readAvailable(
  operations: FileOperations,
  fd: number,
  target: Uint8Array,
  position: number,
): Promise<number> {
  let length = 0;
  while (length < target.length) {
    const count = await operations.read(fd, length === 0 ? target : target.subarray(length), position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

export function isMissingFile(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ENOENT';
}
