import { Readable } from 'node:stream';
import { fromBufferPromise, type Entry } from 'yauzl';

/** Returns the XML of a part of an Office document by name; empty if there is none. */
export type ReadPart = (name: string) => Promise<string>;

/** The attributes of all tags with this name, with any prefix. */
export function* eachTag(xml: string, name: string): Generator<Record<string, string>> {
  for (const [, text = ''] of xml.matchAll(new RegExp(String.raw`<(?:\w+:)?${name}(?![\w:-])([^<>]*)>`, 'g'))) {
    const attributes: Record<string, string> = {};
    for (const [, key = '', value = ''] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) attributes[key] = value;
    yield attributes;
  }
}

/** Like `eachTag`, as a list. */
export function tagsOf(xml: string, name: string): Record<string, string>[] {
  return [...eachTag(xml, name)];
}

/** Decodes entities in a text or an attribute value. */
export function plainText(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replaceAll(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (all, name, decimal, hex) => {
    if (name !== undefined) return names[name] ?? all;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0x10_ffff ? all : String.fromCodePoint(point);
  });
}

/** The parts of an Office document: read as a whole, or block by block while unpacking. */
export type OfficeArchive = { read: ReadPart; stream(name: string): Promise<AsyncIterable<Uint8Array>> };

/** Opens an Office document for the parts that officeparser does not expose. */
export async function openParts(bytes: Uint8Array): Promise<ReadPart> {
  return (await openArchive(bytes)).read;
}

export async function openArchive(bytes: Uint8Array): Promise<OfficeArchive> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
    lazyEntries: true,
    autoClose: false,
  });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  async function stream(name: string): Promise<AsyncIterable<Uint8Array>> {
    const entry = entries.get(name);
    return entry === undefined ? Readable.from([]) : zip.openReadStreamPromise(entry);
  }
  return {
    stream,
    async read(name) {
      const blocks: Uint8Array[] = [];
      for await (const block of await stream(name)) blocks.push(block);
      return Buffer.concat(blocks).toString('utf8');
    },
  };
}
