import { idPattern } from '../../../kernel/ids.ts';

/** How a Hub client names a dataset: by its id or its name, with or without a namespace. */
export type HubName = { namespace: string | undefined; name: string };

const versionDigits = 8;

/**
 * Clients treat 40 hex digits as an immutable commit and cache its files. Ours consist of the dataset's id, a UUID, and the
 * number of the version.
 */
export function commitOf(datasetId: string, version: number): string {
  return datasetId.replaceAll('-', '') + version.toString(16).padStart(versionDigits, '0');
}

export type HubRevision = { kind: 'current' } | { kind: 'version'; version: number } | { kind: 'name'; name: string };

/** Parses `main`, one of our commits, the number of a version (`7` or `v7`), or its name. */
export function parseRevision(datasetId: string, revision: string): HubRevision {
  if (revision === 'main' || revision === 'HEAD' || revision === 'refs/heads/main') return { kind: 'current' };
  if (/^[0-9a-f]{40}$/.test(revision)) {
    const version = Number.parseInt(revision.slice(-versionDigits), 16);
    // A commit of another dataset is unknown here.
    return commitOf(datasetId, version) === revision ? { kind: 'version', version } : { kind: 'name', name: revision };
  }
  const number = /^v?(\d{1,9})$/.exec(revision)?.[1];
  return number === undefined ? { kind: 'name', name: revision } : { kind: 'version', version: Number(number) };
}

export function isId(name: string): boolean {
  return new RegExp(idPattern).test(name);
}
