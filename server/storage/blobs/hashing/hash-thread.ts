import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { answerRequests } from '../../../processes/answer-requests.ts';
import { blockBytes, pieceBytes } from '../files/buffer-pool.ts';
import { crc32 } from '../../../kernel/crc32.ts';

/** Computes checksums away from the event loop. Started by `hasher.ts`. */
export type HashRequest =
  | { kind: 'copy'; id: number; bytes: Uint8Array }
  | { kind: 'shared'; id: number; offset: number; length: number }
  | { kind: 'mark' | 'rewind' | 'digest' | 'drop'; id: number }
  | { kind: 'file'; path: string; offset: number; sizeBytes: number };
export type HashAnswer = { sha256?: string; crc32?: number };

type OpenHash = { current: Hash; marked: Hash };

const { memory } = workerData as { memory: SharedArrayBuffer };
const shared = new Uint8Array(memory);
const hashes = new Map<number, OpenHash>();

// On Linux, pid 0 means the calling thread only: request handling keeps priority over hashing.
if (process.platform === 'linux') setPriority(0, 10);

answerRequests((request: HashRequest) => (request.kind === 'file' ? hashFile(request) : feed(request)));

function feed(request: Exclude<HashRequest, { kind: 'file' }>): HashAnswer {
  const hash = hashes.get(request.id) ?? { current: createHash('sha256'), marked: createHash('sha256') };
  hashes.set(request.id, hash);
  switch (request.kind) {
    case 'copy':
      hash.current.update(request.bytes);
      return {};
    case 'shared':
      hash.current.update(shared.subarray(request.offset, request.offset + request.length));
      return {};
    case 'mark':
      hash.marked = hash.current.copy();
      return {};
    case 'rewind':
      hash.current = hash.marked.copy();
      return {};
    case 'digest':
      hashes.delete(request.id);
      return { sha256: hash.current.digest('hex') };
    case 'drop':
      hashes.delete(request.id);
      return {};
  }
}

/** Page-aligned memory, as direct reads require. */
let reading: Uint8Array | undefined;

function readingBuffer(): Uint8Array {
  const pages = pieceBytes / 65_536;
  reading ??= new Uint8Array(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
  return reading;
}

/** Bypasses the page cache where the system can: this checks what the disk holds, and leaves the cache to bytes needed soon. */
function hashFile(request: { path: string; offset: number; sizeBytes: number }): HashAnswer {
  const buffer = readingBuffer();
  const end = request.offset + request.sizeBytes;
  let fd: number | undefined;
  try {
    fd = openForReading(request.path);
    const hash = createHash('sha256');
    let crc = 0;
    let position = request.offset;
    while (position < end) {
      const start = position - (position % blockBytes);
      const count = readSync(fd, buffer, 0, pieceBytes, start);
      const bytes = buffer.subarray(position - start, Math.min(count, end - start));
      if (bytes.length === 0) return {};
      hash.update(bytes);
      crc = crc32(bytes, crc);
      position += bytes.length;
    }
    return { sha256: hash.digest('hex'), crc32: crc };
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (code === 'ENOENT' || code === 'EIO') return {};
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function openForReading(path: string): number {
  if (process.platform !== 'linux') return openSync(path, constants.O_RDONLY);
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECT);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EINVAL') throw error;
    return openSync(path, constants.O_RDONLY);
  }
}
