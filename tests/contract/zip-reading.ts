import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';

const utf8Flag = 0x0800;

/** Reads a whole ZIP strictly: checks each entry's bytes, CRC-32 and size against the directory; folders end with a slash. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  // Names are decoded here: the library refuses harmless ones (`a:b`).
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8');
    if (/[^ -~]/.test(name)) assert.ok(entry.generalPurposeBitFlag & utf8Flag, `${name} isn't marked as UTF-8`);
    assert.ok(!entries.has(name), `the ZIP holds ${name} twice`);
    const content = name.endsWith('/') ? Buffer.alloc(0) : await readEntry(zip, entry);
    assert.equal(crc32(content), entry.crc32, `CRC-32 of ${name}`);
    assert.equal(content.length, entry.uncompressedSize, `size of ${name}`);
    entries.set(name, content);
  }
  return entries;
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
