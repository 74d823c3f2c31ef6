import type { HubFileRow } from '../queries/hub.ts';

/** A file or folder of a tree, as the Hub describes it. */
export type HubEntry = {
  type: 'file' | 'directory';
  path: string;
  oid: string;
  size: number;
  lfs?: { oid: string; size: number; pointerSize: number };
  /** The version that last changed it, only if asked for. */
  lastCommit?: HubCommit;
};

/** A version as the Hub describes a commit. */
export type HubCommit = { id: string; title: string; date: string };

/** Size of the pointer text that replaces a large file in Git; clients only show it. */
const pointerSize = 134;

export function toHubEntry({ path, size_bytes: size, blob_id: blobId, sha256 }: HubFileRow): HubEntry {
  const lfs = sha256 === null ? {} : { lfs: { oid: sha256, size, pointerSize } };
  return { type: 'file', path, oid: blobId ?? 'empty', size, ...lfs };
}

function folder(path: string): HubEntry {
  return { type: 'directory', path, oid: '', size: 0 };
}

/** The folders between `below` and a path, outermost first. */
function foldersOf(path: string, below: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/', below === '' ? 0 : below.length + 1); at !== -1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}

/** Files in path order, each folder before its content; omits folders that contain `after`, which were listed before. */
export function withFolders(
  rows: readonly HubFileRow[],
  { below, after }: { below: string; after: string },
): HubEntry[] {
  const entries: HubEntry[] = [];
  let open = new Set(after === '' ? [] : foldersOf(after, below));
  for (const row of rows) {
    const folders = foldersOf(row.path, below);
    for (const path of folders) if (!open.has(path)) entries.push(folder(path));
    open = new Set(folders);
    entries.push(toHubEntry(row));
  }
  return entries;
}

/** Rows read at once for one level: few, because most may be in a folder that yields only one entry. */
const levelRows = 100;

/**
 * Lists the direct content of a folder in path order. Each subfolder is skipped with one look-up past its last path, without
 * reading its content.
 */
export async function walkLevel(
  load: (after: string, limit: number) => Promise<HubFileRow[]>,
  { below, after, limit }: { below: string; after: string; limit: number },
): Promise<{ entries: HubEntry[]; cursor: string | undefined }> {
  const entries: HubEntry[] = [];
  let last = after;
  while (entries.length < limit) {
    const rows = await load(last, Math.min(levelRows, limit - entries.length));
    if (rows.length === 0) return { entries, cursor: undefined };
    for (const row of rows) {
      const [inner] = foldersOf(row.path, below);
      entries.push(inner === undefined ? toHubEntry(row) : folder(inner));
      last = inner === undefined ? row.path : `${inner}/\u{10ffff}`;
      if (inner !== undefined) break;
    }
  }
  return { entries, cursor: last };
}
