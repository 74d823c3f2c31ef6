import type { DocumentLimits, DocumentPart, DocumentResult } from './receipt.ts';

/** Where a document's bytes are: in a file from `offset` on, with their expected CRC-32; or in the message itself. */
export type DocumentBytes = { path: string; offset: number; sizeBytes: number; crc32?: number } | { bytes: Uint8Array };

/** A request to a reader process. */
export type ReadRequest = { source: DocumentBytes; fileType: string; limits: DocumentLimits; part: DocumentPart };

/** The answer, with the memory that the process uses afterwards; `unreadable` says why the bytes can't be read. */
export type ReadAnswer = { residentBytes: number } & ({ result: DocumentResult } | { unreadable: string });

/** The only argument of a reader process. */
export type ReaderLimits = { timeoutMs: number; maxResidentBytes: number };

/** What the guard writes to standard error before it ends the process. */
export const guardWords = {
  time: 'reader-guard: the time for this document is up',
  memory: 'reader-guard: this document needs too much memory',
} as const;

/** Slots of the memory shared with the guard: 1 while a document is being read; CPU milliseconds used at the start. */
export const guardSlots = { reading: 0, startedCpuMs: 1, length: 2 } as const;
