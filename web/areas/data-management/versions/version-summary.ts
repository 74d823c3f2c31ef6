import type { DatasetVersion } from '../../../api/schema.ts';

/** The changes of a version: its message, or else its counts. */
export type VersionSummary =
  | { key: 'made' }
  | { key: 'files'; added: number; replaced: number; deleted: number }
  | { key: 'message' };

/** How to describe a version; without a message, a replaced file counts both as added and as ended. */
export function summaryOf(
  version: Pick<DatasetVersion, 'version' | 'message' | 'filesAdded' | 'filesEnded'>,
): VersionSummary {
  const { message, filesAdded, filesEnded } = version;
  if (message !== null) return { key: 'message' };
  if (version.version === 1) return { key: 'made' };
  const replaced = Math.min(filesAdded, filesEnded);
  return { key: 'files', added: filesAdded - replaced, replaced, deleted: filesEnded - replaced };
}
