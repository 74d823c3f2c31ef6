// A process that reads one document after the other, and can be ended at any time. It has no environment, may not write, start
// programs or load native code, and speaks to nobody but its parent.
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
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
const guard = new Worker(new URL('reader-guard.ts', import.meta.url), { workerData: setup });
guard.on('error', (error) => {
  throw error;
});

// Requests of the API go first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('disconnect', () => process.exit(0));
process.on('message', (request: ReadRequest) => {
  void answer(request);
});

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
}: ReadRequest): Promise<{ result: DocumentResult } | { unreadable: string }> {
  let bytes: Uint8Array;
  try {
    bytes = bytesOf(source);
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
  try {
    const { markdown, pages, receipt } = await readDocument(bytes, fileType, bounds);
    return { result: { kind: 'read', markdown: Buffer.from(markdown), pages, receipt } };
  } catch (error) {
    // Anything else is a bug of a reader: this process ends, and the document is tried in another one.
    if (!(error instanceof DocumentFailure)) throw error;
    const { code, message, receipt } = error;
    return { result: { kind: 'failed', problem: { code, message }, receipt } };
  }
}

function bytesOf(source: DocumentBytes): Uint8Array {
  if ('bytes' in source) return source.bytes;
  const { path, offset, sizeBytes } = source;
  const bytes = new Uint8Array(sizeBytes);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < sizeBytes;) {
      const count = readSync(file, bytes, at, sizeBytes - at, offset + at);
      if (count === 0) throw new Error(`${path} ends at ${offset + at}`);
      at += count;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}
