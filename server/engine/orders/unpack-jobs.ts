import type { Reason } from '../../kernel/sentences/index.ts';
import type { UnpackLimits } from '../../tables/compression/unpack-gauge.ts';

/** Request to unpack a file; `maxBytes` limits the output, null: no limit. */
export type UnpackJob = {
  compression: 'bzip2' | 'arrow';
  place: { path: string; offset: number };
  sizeBytes: number;
  crc32: number;
  limits: UnpackLimits;
  output: { path: string; maxBytes: number | null };
};
export type UnpackResult = {
  /** Whether the compressed bytes are those that were stored. */
  isIntact: boolean;
  writtenBytes: number;
  problem: { reason: Reason; keepsBefore: boolean } | undefined;
};

/** The content of a compressed file, complete or up to a problem; or why there is none. */
export type Unpacked<T> = { content: T | undefined; problem: Reason | undefined; isDamaged: boolean };
