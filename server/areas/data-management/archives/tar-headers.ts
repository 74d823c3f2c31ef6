import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { ArchiveError } from './archive-limits.ts';
import { addRun, type SparseHeader } from './tar-sparse-map.ts';

/** The header of an entry, with extended headers applied. */
export type TarHeader = {
  /** Byte for byte as Latin-1; decoded if it comes from a pax header (`isDecoded`). */
  name: string;
  isDecoded: boolean;
  sizeBytes: number;
  /** The type flag: `0` (or NUL) a file, `5` a folder, … */
  type: string;
  /** Set for a sparse file. */
  sparse: SparseHeader | undefined;
};

/** A header block, before the extended headers in front of it are applied. */
export type TarBlock = Pick<TarHeader, 'name' | 'sizeBytes' | 'type' | 'sparse'>;

export const tarBlockBytes = 512;

/** Limit for extended headers, which are held in memory. */
const maxExtensionBytes = 4 * 1024 * 1024;

/**
 * Parses a header block (POSIX ustar, GNU, and older); undefined for a block of zeros, which ends an archive. Throws ArchiveError
 * when its checksum or size is wrong.
 */
export function readTarBlock(block: Buffer): TarBlock | undefined {
  let sum = 8 * 0x20;
  for (let at = 0; at < tarBlockBytes; at++) sum += block[at] ?? 0;
  for (let at = 148; at < 156; at++) sum -= block[at] ?? 0;
  // All zeros, except possibly for the checksum itself.
  if (sum === 8 * 0x20) return undefined;
  if (sum !== readNumber(block, 148, 8)) throw new ArchiveError(archiveProblems.TAR_DAMAGED.reason({}));
  const sizeBytes = readNumber(block, 124, 12);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw damaged(archiveProblems.ENTRY_NO_SIZE.reason({}));
  const name = readText(block, 0, 100);
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0';
  const type = String.fromCharCode(block[156] ?? 0);
  return {
    name: isUstar && block[345] !== 0 ? `${readText(block, 345, 155)}/${name}` : name,
    sizeBytes,
    type: type === '\0' ? '0' : type,
    sparse: type === 'S' ? readOldSparse(block) : undefined,
  };
}

/** The start of a list of runs in a header block of type `S`. */
function readOldSparse(block: Buffer): SparseHeader {
  const sparse: SparseHeader = { realBytes: readNumber(block, 483, 12), runs: [], isMapInContent: false };
  readRuns(block, { start: 386, count: 4 }, sparse);
  return sparse;
}

/** Adds the runs of a block that continues the list; returns whether another such block follows. */
export function readSparseBlock(block: Buffer, sparse: SparseHeader): boolean {
  readRuns(block, { start: 0, count: 21 }, sparse);
  return block[504] === 1;
}

/** An error that says why the archive is no tar, or damaged. */
function damaged(why: Reason): ArchiveError {
  return new ArchiveError(archiveProblems.TAR_DAMAGED_BECAUSE.reason({ why }));
}

/** Whether the list of runs in a header block goes on in the next block. */
export function isSparseContinued(block: Buffer): boolean {
  return block[482] === 1;
}

function readRuns(block: Buffer, { start, count }: { start: number; count: number }, { runs }: SparseHeader): void {
  for (let at = start; at < start + count * 24 && block[at + 12] !== 0; at += 24)
    addRun(runs, { offset: readNumber(block, at, 12), sizeBytes: readNumber(block, at + 12, 12) });
}

/** A sparse file described by pax records: formats 0.0 and 0.1 list the runs, 1.0 has the list in front of the content. */
function readPaxSparse(pax: ReadonlyMap<string, string>): SparseHeader | undefined {
  if (![...pax.keys()].some((key) => key.startsWith('GNU.sparse.'))) return undefined;
  const major = pax.get('GNU.sparse.major');
  if (major !== undefined) {
    const format = `${major}.${pax.get('GNU.sparse.minor') ?? '0'}`;
    const sparse = { realBytes: Number(pax.get('GNU.sparse.realsize') ?? NaN), runs: [], isMapInContent: true };
    return format === '1.0' ? sparse : { ...sparse, problem: archiveProblems.IS_SPARSE_UNKNOWN.reason({ format }) };
  }
  const sparse: SparseHeader = {
    realBytes: Number(pax.get('GNU.sparse.size') ?? NaN),
    runs: [],
    isMapInContent: false,
  };
  const numbers = (pax.get(sparseMapKey) ?? '').split(',').filter((text) => text !== '');
  for (let at = 0; at < numbers.length; at += 2)
    addRun(sparse.runs, { offset: Number(numbers[at]), sizeBytes: Number(numbers[at + 1] ?? NaN) });
  return sparse;
}

const sparseMapKey = 'GNU.sparse.map';

/** Extended headers in front of an entry: GNU long names, pax records for one entry and for all. */
export type TarExtensions = {
  /** Whether a block starts an extended header; throws ArchiveError when it is too large to be held. */
  isExtension(block: TarBlock): boolean;
  add(type: string, content: Buffer): void;
  /** The complete header of the entry that a block starts; consumes the extensions added for this entry. */
  apply(block: TarBlock): TarHeader;
};

export function createTarExtensions(): TarExtensions {
  let longName: string | undefined;
  let ofAll: ReadonlyMap<string, string> = new Map();
  let ofOne: ReadonlyMap<string, string> = new Map();

  return {
    isExtension({ type, sizeBytes }) {
      if (!'xgLKN'.includes(type)) return false;
      if (sizeBytes > maxExtensionBytes) throw damaged(archiveProblems.HEADER_TOO_LARGE.reason({}));
      return true;
    },
    add(type, content) {
      if (type === 'L' || type === 'N') longName = readText(content, 0, content.length);
      else if (type === 'g') ofAll = new Map([...ofAll, ...readPax(content)]);
      else if (type === 'x') ofOne = readPax(content);
    },
    apply({ name, sizeBytes, type, sparse }) {
      const pax = ofAll.size === 0 ? ofOne : new Map([...ofAll, ...ofOne]);
      // The path in the header of a sparse file is synthetic.
      const path = pax.get('GNU.sparse.name') || pax.get('path') || undefined;
      const size = pax.get('size') || undefined;
      const header: TarHeader = {
        name: path ?? longName ?? name,
        isDecoded: path !== undefined,
        sizeBytes: size === undefined ? sizeBytes : Number(size),
        type,
        sparse: sparse ?? (pax.size === 0 ? undefined : readPaxSparse(pax)),
      };
      longName = undefined;
      if (ofOne.size > 0) ofOne = new Map();
      if (!Number.isSafeInteger(header.sizeBytes) || header.sizeBytes < 0)
        throw damaged(archiveProblems.ENTRY_NO_SIZE.reason({}));
      return header;
    },
  };
}

/** Parses `length key=value\n` records, the length in bytes and including itself; stops at a malformed one. */
function readPax(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space === -1 ? 0 : Number.parseInt(content.toString('latin1', at, space), 10);
    if (!(length > 0)) break;
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals === -1) break;
    const key = record.slice(0, equals);
    const value = record.slice(equals + 1);
    // Format 0.0 of sparse files repeats two keys for each run.
    if (key === 'GNU.sparse.offset' || key === 'GNU.sparse.numbytes')
      records.set(sparseMapKey, `${records.get(sparseMapKey) ?? ''}${value},`);
    else records.set(key, value);
    at += length;
  }
  return records;
}

function readText(bytes: Buffer, start: number, length: number): string {
  const end = bytes.indexOf(0, start);
  return bytes.toString('latin1', start, end === -1 || end > start + length ? start + length : end);
}

/** Octal digits between spaces and NULs or, when the first bit is set, a base-256 number. */
function readNumber(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0;
  if ((first & 0x80) !== 0) {
    if (first !== 0x80) return Number.NaN;
    let value = 0;
    for (let at = start + 1; at < start + length; at++) value = value * 256 + (block[at] ?? 0);
    return value;
  }
  let value = 0;
  let at = start;
  while (at < start + length && (block[at] === 0x20 || block[at] === 0)) at++;
  for (; at < start + length; at++) {
    const digit = (block[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 7) break;
    value = value * 8 + digit;
  }
  return value;
}
