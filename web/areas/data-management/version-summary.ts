import type { DatasetVersion } from '../../api/schema.ts';

/** The changes of a version, as a message key and its parameters. */
export type VersionSummary =
  | { key: 'made' }
  | { key: 'files'; added: number; replaced: number; deleted: number }
  | { key: 'unpacked' | 'cleaned' | 'emptied' | 'moved' | 'folderCreated' | 'folderDeleted' | 'archive'; what: string }
  | { key: 'message'; what: string };

/** Messages that the service writes by itself: they are shown in the user's language. */
const known = [
  ['unpacked', /^Unpacked (.+)$/s],
  ['cleaned', /^Cleaned by (.+)$/s],
  ['emptied', /^Replaced by (.+)$/s],
  ['moved', /^Moved to (.+)$/s],
  ['folderCreated', /^Created folder (.+)$/s],
  ['folderDeleted', /^Deleted folder (.+)$/s],
  ['archive', /^Uploaded as a (tar|zip) archive$/],
] as const;

/** The message of a version, or its counts if it has none: a replaced file counts as added and as ended. */
export function summaryOf(
  version: Pick<DatasetVersion, 'version' | 'message' | 'filesAdded' | 'filesEnded'>,
): VersionSummary {
  const { message, filesAdded, filesEnded } = version;
  if (message !== null) {
    for (const [key, pattern] of known) {
      const what = pattern.exec(message)?.[1];
      if (what !== undefined) return { key, what };
    }
    return { key: 'message', what: message };
  }
  if (version.version === 1) return { key: 'made' };
  const replaced = Math.min(filesAdded, filesEnded);
  return { key: 'files', added: filesAdded - replaced, replaced, deleted: filesEnded - replaced };
}
