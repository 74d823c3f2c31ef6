import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a handwritten ZIP, which may contain any false statement. */
export type ZipEntry = {
  name: string | Buffer;
  content?: Buffer | string;
  deflate?: boolean;
  /** Unix mode including the file type, e.g. 0o120777 for a symbolic link. */
  mode?: number;
  crc?: number;
  /** The size claimed by the headers. */
  claimedSize?: number;
  encrypted?: boolean;
  method?: number;
};

const utf8Flag = 0x0800;
const encryptedFlag = 0x0001;

/** Writes a ZIP without any validation; `claimedEntries` is the count in its end record. */
export function toZip(
  entries: readonly ZipEntry[],
  { claimedEntries = entries.length }: { claimedEntries?: number } = {},
): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const stored = entry.deflate === true ? deflateRawSync(content) : content;
    const flags = utf8Flag | (entry.encrypted === true ? encryptedFlag : 0);
    const fixed = Buffer.alloc(22);
    fixed.writeUInt16LE(flags, 0);
    fixed.writeUInt16LE(entry.method ?? (entry.deflate === true ? 8 : 0), 2);
    fixed.writeUInt16LE(0, 4);
    fixed.writeUInt16LE(0x21, 6);
    fixed.writeUInt32LE(entry.crc ?? crc32(content), 8);
    fixed.writeUInt32LE(stored.length, 12);
    fixed.writeUInt32LE(entry.claimedSize ?? content.length, 16);
    fixed.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([
      Buffer.from([0x50, 0x4b, 0x03, 0x04, 20, 0]),
      fixed,
      Buffer.from([0, 0]),
      name,
      stored,
    ]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) * 0x10000) >>> 0, 8);
    tail.writeUInt32LE(offset, 12);
    centrals.push(Buffer.from([0x50, 0x4b, 0x01, 0x02, 20, 3, 20, 0]), fixed, tail, name);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(claimedEntries, 8);
  end.writeUInt16LE(claimedEntries, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

/** An entry of a handwritten tar; `type` is the type flag: 0 file, 1 hard link, 2 symlink, 3 and 4 devices, 5 folder, 6 pipe. */
export type TarEntry = {
  name: string | Buffer;
  content?: Buffer | string;
  type?: string;
  linkName?: string;
  /** The size claimed by the header. */
  claimedSize?: number;
};

/** Writes a tar (ustar; names over 100 bytes as GNU long names) without any validation. */
export function toTar(entries: readonly TarEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    if (name.length > 100)
      blocks.push(...tarEntry(Buffer.from('././@LongLink'), Buffer.concat([name, Buffer.from([0])]), 'L'));
    blocks.push(
      ...tarEntry(name, Buffer.from(entry.content ?? ''), entry.type ?? '0', entry.linkName, entry.claimedSize),
    );
  }
  blocks.push(Buffer.alloc(1024));
  return Buffer.concat(blocks);
}

function tarEntry(name: Buffer, content: Buffer, type: string, linkName = '', claimedSize = content.length): Buffer[] {
  const header = Buffer.alloc(512);
  name.copy(header, 0, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${claimedSize.toString(8).padStart(11, '0')}\0`, 124);
  header.write('14000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linkName, 157, 100);
  header.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

export const sampleEntries = [
  { name: 'a.txt', content: 'alpha' },
  { name: './b/c.txt', content: 'charlie' },
  { name: 'b/empty.txt', content: '' },
  { name: '土壤/高.txt', content: '高' },
];
export const samplePaths = ['a.txt', 'b/c.txt', 'b/empty.txt', '土壤/高.txt'];
