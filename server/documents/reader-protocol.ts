import type { DocumentLimits, DocumentResult } from './receipt.ts';

/** Where the bytes of a document are: in a file from `offset` on, with the CRC-32 that they must have; or here. */
export type DocumentBytes = { path: string; offset: number; sizeBytes: number; crc32?: number } | { bytes: Uint8Array };

/** What a reader process is asked. */
export type ReadRequest = { source: DocumentBytes; fileType: string; limits: DocumentLimits };

/** What it answers, and the memory that its process has by then; `unreadable` says why the bytes can't be had. */
export type ReadAnswer = { residentBytes: number } & ({ result: DocumentResult } | { unreadable: string });

/** What a process is told when it starts, as its only argument. */
export type ReaderLimits = { timeoutMs: number; maxResidentBytes: number };

/** What the guard writes to standard error before it ends its process. */
export const guardWords = {
  time: 'reader-guard: the time for this document is up',
  memory: 'reader-guard: this document needs too much memory',
} as const;

/** Places in the memory shared with the guard: 1 while a document is read, milliseconds of CPU spent when that began. */
export const guardSlots = { reading: 0, startedCpuMs: 1, length: 2 } as const;
