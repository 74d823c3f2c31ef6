import type { OfficeContentNode } from 'officeparser';
import { decodeWhole } from '../encodings/decoded-text.ts';
import { documentProblems, foreign } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { decodePage, parsePage } from './html-reader.ts';
import { addNodes } from './office-markdown.ts';
import { readTitle } from './package/core-properties.ts';
import { tellOfObjects } from './package/embedded-objects.ts';
import { rtfBlocks } from './rtf-reader.ts';
import { openPackage, type OfficePackage } from './package/office-package.ts';
import { childOf, descendantsOf, elementsOf, readTree, type XmlElement } from './package/xml-tree.ts';
import { diagramItems, type DiagramItem } from './package/diagrams.ts';
import { readBlocks } from './word/word-blocks.ts';
import type { WordContext, WordCounts } from './word/word-context.ts';
import { readWordStyles } from './word/word-styles.ts';

/** Reads a Word document: its paragraphs, lists and tables in order, with notes where they are referred to. */
export async function readWord(bytes: Uint8Array, draft: Draft): Promise<void> {
  const found = await openPackage(bytes);
  draft.title = await readTitle(found);
  await addNodes(draft, await readBody(found, draft, true));
}

async function readBody(found: OfficePackage, draft: Draft, isOutermost: boolean): Promise<OfficeContentNode[]> {
  const main = (await found.mainPart()) ?? '';
  const related = async (type: string): Promise<string> => (await found.relatedParts(main, type))[0] ?? '';
  const read = async (part: string): Promise<XmlElement> => {
    const { root, isComplete } = await readTree(found, part, 'w');
    if (!isComplete) draft.warn(documentProblems.PART_CUT.reason({ part }));
    return root;
  };
  const styles = readWordStyles(await read(await related('styles')), await read(await related('numbering')));
  const empty: WordContext = {
    styles,
    items: new Map(),
    begun: new Set(),
    relations: new Map(),
    footnotes: new Map(),
    endnotes: new Map(),
    comments: new Map(),
    chunks: new Map(),
    diagrams: new Map(),
    counts: noCounts(),
  };
  const contextOf = async (part: string): Promise<WordContext> => ({
    ...empty,
    relations: new Map((await found.relationsOf(part)).map((relation) => [relation.id, relation])),
    diagrams: await readDiagrams(found, part),
    chunks: await readChunks(found, part, draft, isOutermost),
  });
  const notesIn = async (part: string, kind: string): Promise<Map<string, OfficeContentNode>> => {
    const context = await contextOf(part);
    await tellOfObjects(found, part, draft);
    const notes = new Map<string, OfficeContentNode>();
    for (const note of descendantsOf(await read(part), kind)) {
      const { id = '', type = 'normal' } = note.attributes;
      // Lines between text and notes are stored among the notes.
      if (type === 'normal') notes.set(id, noteOf(kind, id, readBlocks(note, context)));
    }
    return notes;
  };
  const context: WordContext = {
    ...(await contextOf(main)),
    footnotes: await notesIn(await related('footnotes'), 'footnote'),
    endnotes: await notesIn(await related('endnotes'), 'endnote'),
    comments: await notesIn(await related('comments'), 'comment'),
  };
  await tellOfObjects(found, main, draft);
  for (const type of ['header', 'footer']) {
    for (const part of new Set(await found.relatedParts(main, type))) {
      const partContext = {
        ...(await contextOf(part)),
        counts: noCounts(),
      };
      for (const root of elementsOf(await read(part))) draft.runningLines += readBlocks(root, partContext).length;
    }
  }
  const body = childOf(childOf(await read(main), 'document'), 'body');
  const content = body === undefined ? [] : readBlocks(body, context);
  draft.images += context.counts.images;
  draft.charts += context.counts.charts;
  draft.hiddenCharacters += context.counts.hidden;
  draft.deletedCharacters += context.counts.deleted;
  for (const [font, count] of context.counts.symbols)
    draft.warn(documentProblems.SYMBOLS_UNKNOWN.reason({ count, font }));
  return content;
}

function noCounts(): WordCounts {
  return { images: 0, charts: 0, hidden: 0, deleted: 0, symbols: new Map() };
}

function noteOf(kind: string, id: string, children: OfficeContentNode[]): OfficeContentNode {
  const text = children.map((child) => child.text ?? '').join(' ');
  const metadata = kind === 'comment' ? { commentId: id } : { noteType: kind, noteId: id };
  return { type: kind === 'comment' ? 'comment' : 'note', text, children, metadata } as OfficeContentNode;
}

async function readDiagrams(found: OfficePackage, part: string): Promise<Map<string, DiagramItem[]>> {
  const diagrams = new Map<string, DiagramItem[]>();
  for (const data of await found.relatedParts(part, 'diagramData'))
    diagrams.set(data, diagramItems((await readTree(found, data, 'dgm')).root));
  return diagrams;
}

/** Reads the documents that stand for blocks; one that is not read is named in the receipt. */
async function readChunks(
  found: OfficePackage,
  part: string,
  draft: Draft,
  isOutermost: boolean,
): Promise<Map<string, readonly OfficeContentNode[]>> {
  const chunks = new Map<string, readonly OfficeContentNode[]>();
  for (const name of new Set(part === '' ? [] : await found.relatedParts(part, 'aFChunk'))) {
    const blocks: Uint8Array[] = [];
    for await (const block of await found.stream(name)) blocks.push(block);
    const bytes = Buffer.concat(blocks);
    const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    try {
      if (extension === 'docx' && isOutermost) chunks.set(name, await readBody(await openPackage(bytes), draft, false));
      else if (/^x?html?$/.test(extension))
        chunks.set(name, (await parsePage(decodePage(bytes, draft), draft)).content);
      else if (extension === 'rtf') chunks.set(name, rtfBlocks(bytes, draft));
      else if (extension === 'txt') chunks.set(name, linesOf(draft.takeText(decodeWhole(bytes))));
      else draft.warn(documentProblems.ATTACHMENT_NOT_READ.reason({ name }));
    } catch (error) {
      draft.warn(documentProblems.ATTACHMENT_NOT_READ.reason({ name }));
      draft.warn(foreign(error instanceof Error ? error.message : String(error)));
    }
  }
  return chunks;
}

function linesOf(text: string): OfficeContentNode[] {
  return text
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .map((text) => ({ type: 'paragraph', text, children: [{ type: 'text', text }] }));
}
