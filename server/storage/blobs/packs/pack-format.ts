/**
 * A pack is a file of records, one after the other; each is a header of `recordHeaderBytes` and the bytes of one blob.
 * Only the database determines which records are live and where; each read checks the CRC-32 from its row and never depends on
 * a header. The headers let a pack be read without the database; `verify` and backups compare them with the rows. Between
 * records there may be holes (a failed write): a reader without the database searches for the next magic with a valid header.
 *
 * Header, little-endian: magic "TPK1", size of the bytes (32 bits), their CRC-32, blob id (36 characters), CRC-32 of the
 * preceding 48 bytes.
 */
import { crc32 } from '../../../kernel/crc32.ts';

export const recordHeaderBytes = 52;

const magic = Buffer.from('TPK1', 'latin1');
const idBytes = 36;

export type RecordHeader = { blobId: string; sizeBytes: number; crc32: number };

/** Writes a header to `target` from `offset` on. */
export function writeRecordHeader(target: Buffer, offset: number, header: RecordHeader): void {
  magic.copy(target, offset);
  target.writeUInt32LE(header.sizeBytes, offset + 4);
  target.writeUInt32LE(header.crc32, offset + 8);
  target.fill(0, offset + 12, offset + 12 + idBytes);
  target.write(header.blobId, offset + 12, idBytes, 'latin1');
  target.writeUInt32LE(crc32(target.subarray(offset, offset + 48)), offset + 48);
}

/** The header at `offset`, or undefined when there is none. */
export function readRecordHeader(source: Buffer, offset: number): RecordHeader | undefined {
  if (offset + recordHeaderBytes > source.length) return undefined;
  if (magic.compare(source, offset, offset + 4) !== 0) return undefined;
  if (crc32(source.subarray(offset, offset + 48)) !== source.readUInt32LE(offset + 48)) return undefined;
  return {
    blobId: source.toString('latin1', offset + 12, offset + 12 + idBytes).replace(/\0+$/, ''),
    sizeBytes: source.readUInt32LE(offset + 4),
    crc32: source.readUInt32LE(offset + 8),
  };
}
