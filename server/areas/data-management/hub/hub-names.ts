import { idPattern } from '../../../kernel/ids.ts';
import { isCurrentVersion, isReservedName, looksLikeCommit, versionNumberOf } from '../versions/version-names.ts';

/** How a Hub client names a dataset: by its id or its name, with or without a namespace. */
export type HubName = { namespace: string | undefined; name: string };

const versionDigits = 8;
/** The largest number that the database can hold. */
const maxVersion = 0x7fff_ffff;
/** Before the name of a tag in its full reference. */
const tagPrefix = 'refs/tags/';

/**
 * Clients treat 40 hex digits as an immutable commit and cache its files. Ours consist of the dataset's id, a UUID, and the
 * number of the version.
 */
export function commitOf(datasetId: string, version: number): string {
  return datasetId.replaceAll('-', '') + version.toString(16).padStart(versionDigits, '0');
}

export type HubRevision =
  | { kind: 'current' }
  | { kind: 'version'; version: number }
  | { kind: 'name'; name: string }
  | { kind: 'unknown' };

/** Parses `main`, one of our commits, the number of a version (`7` or `v7`), or its name. */
export function parseRevision(datasetId: string, revision: string): HubRevision {
  if (isCurrentVersion(revision)) return { kind: 'current' };
  if (looksLikeCommit(revision)) {
    const version = Number.parseInt(revision.slice(-versionDigits), 16);
    // A commit of another dataset is unknown here.
    return commitOf(datasetId, version) === revision ? ofNumber(version) : { kind: 'unknown' };
  }
  const version = versionNumberOf(revision);
  if (version !== undefined) return ofNumber(version);
  const name = revision.startsWith(tagPrefix) ? revision.slice(tagPrefix.length) : revision;
  return isReservedName(name) ? { kind: 'unknown' } : { kind: 'name', name };
}

function ofNumber(version: number): HubRevision {
  return version <= maxVersion ? { kind: 'version', version } : { kind: 'unknown' };
}

export function isId(name: string): boolean {
  return new RegExp(idPattern).test(name);
}
