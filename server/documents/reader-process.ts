// A process that reads one document at a time and can be killed at any time. It has no environment, may not write,
// start programs or load native code, and communicates only with its parent.
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { builtModule } from '../kernel/built-modules.ts';
import { endWithParent } from '../processes/child-limits.ts';
import { readDocument } from './document-reader.ts';
import { DocumentFailure, type DocumentResult } from './receipt.ts';
import {
  guardSlots,
  type DocumentBytes,
  type ReadAnswer,
  type ReaderLimits,
  type ReadRequest,
} from './reader-protocol.ts';
import type { GuardSetup } from './reader-guard.ts';

const limits = JSON.parse(process.argv[2] ?? '') as ReaderLimits;
const slots = new Int32Array(new SharedArrayBuffer(4 * guardSlots.length));
const setup: GuardSetup = { ...limits, shared: slots.buffer, parentPid: process.ppid };
const guard = new Worker(builtModule(new URL('reader-guard.ts', import.meta.url)), { workerData: setup });
guard.on('error', (error) => {
  throw error;
});

// API requests have priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

endWithParent();
process.on('message', (request: ReadRequest) => {
  answer(request).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
  });
});

// Ignores promise rejections that pdf.js leaves unhandled: only what the reader returns counts.
process.on('unhandledRejection', () => undefined);

async function answer(request: ReadRequest): Promise<void> {
  const { user, system } = process.cpuUsage();
  Atomics.store(slots, guardSlots.startedCpuMs, Math.floor((user + system) / 1000));
  Atomics.store(slots, guardSlots.reading, 1);
  const answered = await read(request);
  Atomics.store(slots, guardSlots.reading, 0);
  const message: ReadAnswer = { ...answered, residentBytes: process.memoryUsage.rss() };
  process.send?.(message);
}

async function read({
  source,
  fileType,
  limits: bounds,
  part,
}: ReadRequest): Promise<{ result: DocumentResult } | { unreadable: string }> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = bytesOf(source);
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
  if (bytes === undefined) return { result: { kind: 'damaged' } };
  try {
    const { markdown, pages, receipt } = await readDocument(bytes, fileType, bounds, part);
    return { result: { kind: 'read', markdown: Buffer.from(markdown), pages, receipt } };
  } catch (error) {
    // Anything else is a bug in a reader: this process ends, and another one retries the document.
    if (!(error instanceof DocumentFailure)) throw error;
    const { code, reason, receipt } = error;
    return { result: { kind: 'failed', problem: { code, reason }, receipt } };
  }
}

/** The bytes of a document; undefined if they do not match their checksum. */
function bytesOf(source: DocumentBytes): Uint8Array | undefined {
  if ('bytes' in source) return source.bytes;
  const { path, offset, sizeBytes, crc32: expected } = source;
  const bytes = new Uint8Array(sizeBytes);
  try {
    const file = openSync(path, 'r');
    try {
      for (let at = 0; at < sizeBytes;) {
        const count = readSync(file, bytes, at, sizeBytes - at, offset + at);
        if (count === 0) return undefined;
        at += count;
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'EIO') return undefined;
    throw error;
  }
  // Node's own crc32: this process does not load third-party native code.
  return expected === undefined || crc32(bytes) === expected ? bytes : undefined;
}
