import { Readable } from 'node:stream';
import { fromBufferPromise, type Entry } from 'yauzl';
import { encodingOf, readXml, type XmlEvents } from './xml-events.ts';

/** A relationship of a part: the last word of its type, and the name of the related part or an address outside. */
export type Relation = { id: string; type: string; target: string; isExternal: boolean };

/** The parts of a package by name; names have no leading slash, and neither case nor percent encoding matters. */
export type OfficePackage = {
  has(part: string): boolean;
  partNames(): string[];
  /** The bytes of a part block by block; none if it does not exist. */
  stream(part: string): Promise<AsyncIterable<Uint8Array>>;
  /** A part as text in the encoding that it declares; empty if it does not exist. */
  read(part: string): Promise<string>;
  /** Parses a part; see `readXml`. */
  parse(part: string, home: string, events: XmlEvents): Promise<{ isComplete: boolean }>;
  contentTypeOf(part: string): Promise<string>;
  /** Relationships of a part, or of the package itself (`''`), in order. */
  relationsOf(part: string): Promise<readonly Relation[]>;
  /** The parts related by this type, such as `worksheet`. */
  relatedParts(part: string, type: string): Promise<string[]>;
  /** The part with the document: the target of the package's `officeDocument` relationship. */
  mainPart(): Promise<string | undefined>;
};

/** Opens a ZIP-based document (ECMA-376 part 2, Open Packaging Conventions). */
export async function openPackage(bytes: Uint8Array): Promise<OfficePackage> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
    lazyEntries: true,
    autoClose: false,
  });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const key = keyOf(entry.fileName);
    if (!entries.has(key)) entries.set(key, entry);
  }
  const relations = new Map<string, readonly Relation[]>();
  let types: ContentTypes | undefined;

  const found: OfficePackage = {
    has: (part) => entries.has(keyOf(part)),
    partNames: () => [...entries.values()].map(({ fileName }) => fileName),
    async stream(part) {
      const entry = entries.get(keyOf(part));
      return entry === undefined ? Readable.from([]) : zip.openReadStreamPromise(entry);
    },
    async read(part) {
      const blocks: Uint8Array[] = [];
      for await (const block of await found.stream(part)) blocks.push(block);
      const all = Buffer.concat(blocks);
      return new TextDecoder(encodingOf(all)).decode(all);
    },
    async parse(part, home, events) {
      return readXml(await found.stream(part), home, events);
    },
    async contentTypeOf(part) {
      types ??= await readContentTypes(found);
      const key = keyOf(part);
      return types.parts.get(key) ?? types.extensions.get(key.slice(key.lastIndexOf('.') + 1)) ?? '';
    },
    async relationsOf(part) {
      const key = keyOf(part);
      let known = relations.get(key);
      if (known === undefined) relations.set(key, (known = await readRelations(found, part)));
      return known;
    },
    async relatedParts(part, type) {
      const related = await found.relationsOf(part);
      return related.flatMap((one) => (one.type === type && !one.isExternal ? [one.target] : []));
    },
    async mainPart() {
      const [related] = await found.relatedParts('', 'officeDocument');
      if (related !== undefined && found.has(related)) return related;
      types ??= await readContentTypes(found);
      // Without a usable relationship, the content types still name the main part.
      for (const [part, type] of types.parts) if (/\bmain\+xml$/i.test(type) && entries.has(part)) return part;
      return mainParts.find((part) => entries.has(part));
    },
  };
  return found;
}

/** What producers call the main part, for packages that do not even declare its content type. */
const mainParts = ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml'];

/** Part names are equal if they differ only in case or percent encoding (ECMA-376 part 2, 6.2.2). */
function keyOf(name: string): string {
  return decoded(name.replaceAll('\\', '/').replace(/^\/+/, '')).toLowerCase();
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

type ContentTypes = { parts: Map<string, string>; extensions: Map<string, string> };

async function readContentTypes(found: OfficePackage): Promise<ContentTypes> {
  const types: ContentTypes = { parts: new Map(), extensions: new Map() };
  await found.parse('[Content_Types].xml', 'types', {
    open(name, { PartName = '', Extension = '', ContentType = '' }) {
      if (name === 'Override') types.parts.set(keyOf(PartName), ContentType.trim());
      else if (name === 'Default') types.extensions.set(Extension.toLowerCase(), ContentType.trim());
    },
  });
  return types;
}

async function readRelations(found: OfficePackage, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const relations: Relation[] = [];
  await found.parse(`${folder}_rels/${part.slice(folder.length)}.rels`, 'rels', {
    open(name, { Id = '', Type = '', Target = '', TargetMode = '' }) {
      if (name !== 'Relationship') return;
      const isExternal = TargetMode.trim().toLowerCase() === 'external';
      const target = isExternal ? Target : partAt(folder, Target.trim());
      relations.push({ id: Id, type: Type.trim().slice(Type.trim().lastIndexOf('/') + 1), target, isExternal });
    },
  });
  return relations;
}

/** The part at an address relative to a folder; some producers write targets from the root without their slash. */
export function partAt(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/').replace(/[#?].*$/s, '');
  const steps = path.startsWith('/') ? [] : decoded(folder).split('/').filter(Boolean);
  for (const step of decoded(path).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
