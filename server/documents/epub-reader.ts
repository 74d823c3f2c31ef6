import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { decodePage, parsePage } from './html-reader.ts';
import { addNodes } from './office-markdown.ts';
import { openPackage, partAt, type OfficePackage } from './package/office-package.ts';
import { readTree, textIn, type XmlElement } from './package/xml-tree.ts';
import { DocumentFailure } from './receipt.ts';

/** Fonts may be obfuscated in a book that everybody can read; any other method hides its text. */
const fontMethods = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** Reads an e-book: the chapters of its spine in order. Throws DocumentFailure. */
export async function readBook(bytes: Uint8Array, draft: Draft): Promise<void> {
  const found = await openPackage(bytes);
  const list = await listOf(found);
  if (list === undefined) throw new DocumentFailure('DAMAGED', documentProblems.BOOK_WITHOUT_LIST.reason({}));
  const { root } = await readTree(found, list, 'opf');
  draft.title = wordsOf(find(root, 'title')).trim() || null;
  const chapters = chaptersOf(root, list.slice(0, list.lastIndexOf('/') + 1));
  const encrypted = await encryptedParts(found);
  const content: OfficeContentNode[] = [];
  let unreadable = 0;
  for (const name of chapters) {
    const isEncrypted = encrypted.has(name.toLowerCase());
    if (isEncrypted || !found.has(name)) {
      unreadable += isEncrypted ? 1 : 0;
      draft.warn(
        (isEncrypted ? documentProblems.CHAPTER_ENCRYPTED : documentProblems.CHAPTER_MISSING).reason({ name }),
      );
      continue;
    }
    const tree = await parsePage(decodePage(await bytesOf(found, name), draft), draft);
    for (const node of tree.content) content.push(node);
  }
  if (chapters.length > 0 && unreadable === chapters.length)
    throw new DocumentFailure('ENCRYPTED', documentProblems.BOOK_ENCRYPTED.reason({}));
  await addNodes(draft, content);
}

/** The list of the book's files, which its container names. */
async function listOf(found: OfficePackage): Promise<string | undefined> {
  const { root } = await readTree(found, 'META-INF/container.xml', 'container');
  for (const rootFile of all(root, 'rootfile')) {
    const path = rootFile.attributes['full-path'];
    if (path !== undefined && found.has(path)) return path;
  }
  return found.partNames().find((name) => /\.opf$/i.test(name));
}

function chaptersOf(root: XmlElement, folder: string): string[] {
  const items = new Map<string, string>();
  for (const { attributes } of all(root, 'item')) {
    const { id, href, 'media-type': type = '' } = attributes;
    if (id !== undefined && href !== undefined && /html/i.test(type)) items.set(id, partAt(folder, href));
  }
  const names = [...all(root, 'itemref')].flatMap(({ attributes }) => items.get(attributes['idref'] ?? '') ?? []);
  return [...new Set(names)];
}

async function encryptedParts(found: OfficePackage): Promise<Set<string>> {
  const { root } = await readTree(found, 'META-INF/encryption.xml', 'encryption');
  const parts = new Set<string>();
  for (const data of all(root, 'EncryptedData')) {
    const method = find(data, 'EncryptionMethod')?.attributes['Algorithm'] ?? '';
    const part = find(data, 'CipherReference')?.attributes['URI'];
    if (part !== undefined && !fontMethods.has(method)) parts.add(partAt('', part).toLowerCase());
  }
  return parts;
}

async function bytesOf(found: OfficePackage, part: string): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for await (const block of await found.stream(part)) blocks.push(block);
  return Buffer.concat(blocks);
}

/** The elements below with this name, whatever their prefix. */
function* all(element: XmlElement, name: string): Generator<XmlElement> {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (child.name.replace(/^.*[}:]/s, '') === name) yield child;
    yield* all(child, name);
  }
}

function find(element: XmlElement, name: string): XmlElement | undefined {
  return all(element, name).next().value ?? undefined;
}

function wordsOf(element: XmlElement | undefined): string {
  return textIn(element).replaceAll(/\s+/g, ' ');
}
