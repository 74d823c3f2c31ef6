import { createHash, type Hash } from 'node:crypto';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { dataErrors } from '../errors.ts';

export type ChecksumKind = 'crc32' | 'md5' | 'sha1' | 'sha256';

/** A checksum that a client sent: kind and lower-case hexadecimal digits. */
export type Checksum = { kind: ChecksumKind; hex: string };

/** A digest that `Digests` computes; the storage computes CRC-32 anyway. */
export type DigestKind = Exclude<ChecksumKind, 'crc32'>;

export const digestKinds: readonly DigestKind[] = ['md5', 'sha1', 'sha256'];

const kindByLength: ReadonlyMap<number, ChecksumKind> = new Map([
  [8, 'crc32'],
  [32, 'md5'],
  [40, 'sha1'],
  [64, 'sha256'],
]);

/** Recognises a checksum by its length, in upper or lower case; throws INVALID_PARAMETER. */
export function parseChecksum(text: string): Checksum {
  const kind = kindByLength.get(text.length);
  if (kind === undefined || !/^[0-9a-f]*$/i.test(text))
    throw invalid('checkSumHex', parameterProblems.MUST_BE_CHECKSUM.reason({}));
  return { kind, hex: text.toLowerCase() };
}

/** Computes digests of a byte stream. */
export type Digests = {
  update(bytes: Uint8Array): void;
  /** The digest of all bytes; call once. Undefined for a kind that was not computed. */
  hex(kind: DigestKind): string | undefined;
};

export function createDigests(kinds: readonly DigestKind[]): Digests {
  const hashes = new Map<DigestKind, Hash>(kinds.map((kind) => [kind, createHash(kind)]));
  return {
    update(bytes) {
      for (const hash of hashes.values()) hash.update(bytes);
    },
    hex: (kind) => hashes.get(kind)?.digest('hex'),
  };
}

/** Throws CHECKSUM_MISMATCH when the bytes differ from the client's. */
export function checkCrc32(checksum: Checksum | undefined, crc32: number): void {
  if (checksum?.kind === 'crc32' && !isCrc32(checksum, crc32)) compare(checksum, crc32.toString(16).padStart(8, '0'));
}

/** Whether a CRC-32 checksum matches. */
export function isCrc32({ hex }: Checksum, crc32: number): boolean {
  return Number.parseInt(hex, 16) === crc32;
}

/** Like `checkCrc32`, for a digest. */
export function checkDigest(checksum: Checksum, actual: string): void {
  compare(checksum, actual);
}

function compare(checksum: Checksum, actual: string): void {
  if (checksum.hex === actual) return;
  throw dataErrors.CHECKSUM_MISMATCH({ expected: checksum.hex, actual }, { field: 'checkSumHex' });
}
