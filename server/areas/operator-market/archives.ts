import type { Reason } from '../../kernel/sentences/index.ts';

/** Unpacks the archive of a package; `problem` says why that is impossible. */
export type ReadArchive = (bytes: Buffer) => Promise<{
  files: ReadonlyMap<string, Uint8Array>;
  refusals: readonly { path: string; reason: Reason }[];
  problem?: Reason;
}>;
