import { createHash, timingSafeEqual } from 'node:crypto';

/** The files of a package by their paths. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

export const manifestPath = 'operator.json';
export const readmePath = 'README.md';
export const iconPath = 'icon.png';
export const signaturePath = 'operator.sig';

/**
 * Identifies a package: the SHA-256 of the lines `<SHA-256 of the file>  <path>`, sorted by the paths' bytes, as
 * `sha256sum` writes them. The signature is not included.
 */
export function digestOf(files: PackageFiles): string {
  const lines = [...files]
    .filter(([path]) => path !== signaturePath)
    .toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([path, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Serializes a package for storage. */
export function packFiles(files: PackageFiles): Buffer {
  return Buffer.from(JSON.stringify([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])));
}

/** The files of a stored package; undefined if they do not match the digest. */
export function unpackFiles(packed: Uint8Array, digest: string): PackageFiles | undefined {
  try {
    const entries = JSON.parse(Buffer.from(packed).toString('utf8')) as [string, string][];
    const files = new Map(entries.map(([path, text]) => [path, Buffer.from(text, 'base64')]));
    const found = Buffer.from(digestOf(files));
    const expected = Buffer.from(digest);
    return found.length === expected.length && timingSafeEqual(found, expected) ? files : undefined;
  } catch {
    return undefined;
  }
}
