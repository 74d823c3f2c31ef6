/**
 * The number that a revision stands for, `7` or `v7`; undefined for a name. The same rule holds wherever a version is addressed:
 * the Hub's endpoints, `tilth://` and `--version`. Numbers too large for a version find none.
 */
export function versionNumberOf(revision: string): number | undefined {
  const digits = /^v?(\d+)$/i.exec(revision)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether a revision is 40 hex digits, which clients take for a commit. */
export function looksLikeCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/i.test(revision);
}

/** Revisions that name the current version. */
export function isCurrentVersion(revision: string): boolean {
  return revision === 'main' || revision === 'HEAD' || revision === 'refs/heads/main';
}

/** Whether a name means something else as a revision: such a version is reached by its number alone. */
export function isReservedName(name: string): boolean {
  const isRef = /^(?:main|head|refs(?:\/.*)?)$/isu.test(name);
  return isRef || versionNumberOf(name) !== undefined || looksLikeCommit(name);
}
