/** One file or folder of a ZIP. */
export type ZipEntry = {
  /** Path inside the archive; a folder's ends with a slash. */
  path: string;
  sizeBytes: number;
  crc32: number;
  /** Milliseconds since 1970 UTC. */
  modifiedAtMs: number;
  /** The content; null for none. */
  blobId: string | null;
};

// Records of APPNOTE 6.3.10; sections in brackets.
const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const zip64EndSignature = 0x06064b50;
const zip64LocatorSignature = 0x07064b50;
const endSignature = 0x06054b50;

const localFixedBytes = 30;
const centralFixedBytes = 46;
const zip64EndBytes = 56;
const zip64LocatorBytes = 20;
const endBytes = 22;

/** Values from here on go into ZIP64 fields [4.4.1.4]. */
const max16 = 0xffff;
const max32 = 0xffffffff;

const versionPlain = 20;
const versionZip64 = 45;
/** Made on UNIX: the upper half of the external attributes is the mode. */
const madeByUnix = 3 << 8;
const fileMode = 0o100644;
const directoryMode = 0o040755;
const dosDirectory = 0x10;
/** Names are UTF-8 [4.4.4, bit 11]. */
const utf8Flag = 0x0800;

/** Extended timestamp (Info-ZIP "UT"): the DOS fields store neither the zone nor odd seconds. */
const timestampBytes = 9;
const timestampId = 0x5455;
const zip64Id = 0x0001;

export function localHeaderBytes({ path, sizeBytes }: ZipEntry): number {
  return localFixedBytes + Buffer.byteLength(path) + timestampBytes + (sizeBytes >= max32 ? 20 : 0);
}

/** Size of the central directory record; `localBytes` is the size of the local header at `offset`. */
export function centralHeaderBytes({ sizeBytes }: ZipEntry, localBytes: number, offset: number): number {
  const zip64LocalBytes = sizeBytes >= max32 ? 20 : 0;
  return localBytes - localFixedBytes - zip64LocalBytes + centralFixedBytes + zip64CentralBytes(sizeBytes, offset);
}

function zip64CentralBytes(sizeBytes: number, offset: number): number {
  const values = (sizeBytes >= max32 ? 2 : 0) + (offset >= max32 ? 1 : 0);
  return values === 0 ? 0 : 4 + 8 * values;
}

/** Writes the local header [4.3.7]; returns the offset after it. */
export function writeLocalHeader(target: Buffer, at: number, entry: ZipEntry): number {
  const isLarge = entry.sizeBytes >= max32;
  const size = Math.min(entry.sizeBytes, max32);
  const { time, date } = dosTimeOf(entry.modifiedAtMs);
  const nameBytes = target.write(entry.path, at + localFixedBytes);
  target.writeUInt32LE(localSignature, at);
  target.writeUInt16LE(isLarge ? versionZip64 : versionPlain, at + 4);
  target.writeUInt16LE(utf8Flag, at + 6);
  // Stored, not compressed.
  target.writeUInt16LE(0, at + 8);
  target.writeUInt16LE(time, at + 10);
  target.writeUInt16LE(date, at + 12);
  target.writeUInt32LE(entry.crc32, at + 14);
  target.writeUInt32LE(size, at + 18);
  target.writeUInt32LE(size, at + 22);
  target.writeUInt16LE(nameBytes, at + 26);
  target.writeUInt16LE(timestampBytes + (isLarge ? 20 : 0), at + 28);
  let next = writeTimestamp(target, at + localFixedBytes + nameBytes, entry);
  if (!isLarge) return next;
  next = target.writeUInt16LE(zip64Id, next);
  next = target.writeUInt16LE(16, next);
  next = writeUInt64(target, next, entry.sizeBytes);
  return writeUInt64(target, next, entry.sizeBytes);
}

/**
 * Writes the central directory record [4.3.12] of an entry whose local header is at `offset` in the archive and at `localAt` in
 * `local`: most fields are copied from there.
 */
export function writeCentralHeader(
  target: Buffer,
  at: number,
  { path, sizeBytes }: ZipEntry,
  offset: number,
  local: Buffer,
  localAt: number,
): number {
  const zip64Bytes = zip64CentralBytes(sizeBytes, offset);
  const version = zip64Bytes > 0 ? versionZip64 : versionPlain;
  const isDirectory = path.endsWith('/');
  const mode = isDirectory ? directoryMode : fileMode;
  target.writeUInt32LE(centralSignature, at);
  target.writeUInt16LE(madeByUnix | version, at + 4);
  // From "version needed" to "file name length".
  local.copy(target, at + 6, localAt + 4, localAt + 28);
  target.writeUInt16LE(version, at + 6);
  target.writeUInt16LE(timestampBytes + zip64Bytes, at + 30);
  // Comment length, disk, internal attributes.
  target.fill(0, at + 32, at + 38);
  target.writeUInt32LE(((mode << 16) | (isDirectory ? dosDirectory : 0)) >>> 0, at + 38);
  target.writeUInt32LE(Math.min(offset, max32), at + 42);
  const nameBytes = local.readUInt16LE(localAt + 26);
  const nameEnd = localAt + localFixedBytes + nameBytes + timestampBytes;
  let next = at + centralFixedBytes + local.copy(target, at + centralFixedBytes, localAt + localFixedBytes, nameEnd);
  if (zip64Bytes === 0) return next;
  next = target.writeUInt16LE(zip64Id, next);
  next = target.writeUInt16LE(zip64Bytes - 4, next);
  if (sizeBytes >= max32) {
    next = writeUInt64(target, next, sizeBytes);
    next = writeUInt64(target, next, sizeBytes);
  }
  return offset >= max32 ? writeUInt64(target, next, offset) : next;
}

function writeTimestamp(target: Buffer, at: number, { modifiedAtMs }: ZipEntry): number {
  let next = target.writeUInt16LE(timestampId, at);
  next = target.writeUInt16LE(timestampBytes - 4, next);
  // Modification time only.
  next = target.writeUInt8(1, next);
  return target.writeInt32LE(Math.max(0, Math.min(Math.floor(modifiedAtMs / 1000), 0x7fffffff)), next);
}

function writeUInt64(target: Buffer, at: number, value: number): number {
  const next = target.writeUInt32LE(value % 2 ** 32, at);
  return target.writeUInt32LE(Math.floor(value / 2 ** 32), next);
}

const firstDosMs = Date.UTC(1980, 0, 1);
const lastDosMs = Date.UTC(2107, 11, 31, 23, 59, 58);

/** Time and date in MS-DOS format, in steps of two seconds, here in UTC. */
function dosTimeOf(ms: number): { time: number; date: number } {
  const at = new Date(Math.max(firstDosMs, Math.min(ms, lastDosMs)));
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

export type ZipDirectory = { entryCount: number; offset: number; sizeBytes: number };

/**
 * The end of the archive [4.3.14 to 4.3.16]; ZIP64 records only where a value needs them: old readers don't support them.
 */
export function endRecords({ entryCount, offset, sizeBytes }: ZipDirectory): Buffer {
  const isZip64 = entryCount >= max16 || offset >= max32 || sizeBytes >= max32;
  const target = Buffer.alloc(isZip64 ? zip64EndBytes + zip64LocatorBytes + endBytes : endBytes);
  let at = 0;
  if (isZip64) {
    target.writeUInt32LE(zip64EndSignature, 0);
    writeUInt64(target, 4, zip64EndBytes - 12);
    target.writeUInt16LE(madeByUnix | versionZip64, 12);
    target.writeUInt16LE(versionZip64, 14);
    writeUInt64(target, 24, entryCount);
    writeUInt64(target, 32, entryCount);
    writeUInt64(target, 40, sizeBytes);
    writeUInt64(target, 48, offset);
    target.writeUInt32LE(zip64LocatorSignature, 56);
    writeUInt64(target, 64, offset + sizeBytes);
    target.writeUInt32LE(1, 72);
    at = zip64EndBytes + zip64LocatorBytes;
  }
  target.writeUInt32LE(endSignature, at);
  target.writeUInt16LE(Math.min(entryCount, max16), at + 8);
  target.writeUInt16LE(Math.min(entryCount, max16), at + 10);
  target.writeUInt32LE(Math.min(sizeBytes, max32), at + 12);
  target.writeUInt32LE(Math.min(offset, max32), at + 16);
  return target;
}
