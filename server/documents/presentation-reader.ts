import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { tellOfHiddenSlides } from './hidden-parts.ts';
import { addNodes } from './office-markdown.ts';
import { readTitle } from './package/core-properties.ts';
import { tellOfObjects } from './package/embedded-objects.ts';
import { openPackage, type OfficePackage } from './package/office-package.ts';
import { childOf, descendantOf, descendantsOf, isOn, readTree, type XmlElement } from './package/xml-tree.ts';
import { diagramItems, type DiagramItem } from './package/diagrams.ts';
import { surroundingsOf, type Surroundings } from './presentation/list-markers.ts';
import { nodesOfShapes } from './presentation/slide-nodes.ts';

/** Reads a PowerPoint presentation: its slides in their order, each with its notes. */
export async function readPresentation(bytes: Uint8Array, draft: Draft): Promise<void> {
  const found = await openPackage(bytes);
  draft.title = await readTitle(found);
  const main = (await found.mainPart()) ?? '';
  const presentation = await readPart(found, main, draft);
  const slides = await listSlides(found, main, presentation);
  draft.pagesIn = slides.length;
  const readSurroundings = surroundingsReader(found, presentation, draft);
  const hidden: number[] = [];
  const content: OfficeContentNode[] = [];
  for (const [index, part] of slides.entries()) {
    if (!found.has(part)) continue;
    const slide = await readPart(found, part, draft);
    const { show } = childOf(slide, 'sld')?.attributes ?? {};
    if (!isOn(show)) hidden.push(index + 1);
    const children = await nodesOf(found, part, slide, await readSurroundings(part), false, draft);
    const notes: OfficeContentNode[] = [];
    for (const notesPart of new Set(await found.relatedParts(part, 'notesSlide'))) {
      const page = await readPart(found, notesPart, draft);
      const inner = await nodesOf(found, notesPart, page, emptySurroundings, true, draft);
      if (inner.length > 0) notes.push({ type: 'note', children: inner });
    }
    const comments = await countComments(found, part);
    draft.comments += comments;
    if (children.length > 0 || notes.length > 0 || comments > 0) {
      const metadata = { slideNumber: index + 1 };
      content.push({ type: 'slide', children, notes, metadata });
    }
  }
  tellOfHiddenSlides(hidden, draft);
  await addNodes(draft, content);
}

const emptySurroundings = surroundingsOf(undefined, undefined, { name: '', attributes: {}, children: [] });

async function readPart(found: OfficePackage, part: string, draft: Draft): Promise<XmlElement> {
  const { root, isComplete } = await readTree(found, part, 'p');
  if (!isComplete) draft.warn(documentProblems.PART_CUT.reason({ part }));
  return root;
}

/** The slides' parts in the order of the presentation. */
async function listSlides(found: OfficePackage, main: string, presentation: XmlElement): Promise<string[]> {
  const relations = new Map((await found.relationsOf(main)).map((relation) => [relation.id, relation]));
  const list = descendantOf(presentation, 'sldIdLst');
  const listed = list === undefined ? [] : [...descendantsOf(list, 'sldId')];
  const parts = listed.flatMap(({ attributes }) => relations.get(attributes['r:id'] ?? '') ?? []);
  return [...new Set(parts.flatMap(({ target, isExternal }) => (isExternal ? [] : [target])))];
}

/** Reads layouts and masters once each. */
function surroundingsReader(
  found: OfficePackage,
  presentation: XmlElement,
  draft: Draft,
): (slide: string) => Promise<Surroundings> {
  const known = new Map<string, Surroundings>();
  return async (slide) => {
    const [layout = ''] = await found.relatedParts(slide, 'slideLayout');
    let surroundings = known.get(layout);
    if (surroundings === undefined) {
      const [master = ''] = layout === '' ? [] : await found.relatedParts(layout, 'slideMaster');
      const layoutTree = layout === '' ? undefined : await readPart(found, layout, draft);
      const masterTree = master === '' ? undefined : await readPart(found, master, draft);
      surroundings = surroundingsOf(layoutTree, masterTree, presentation);
      known.set(layout, surroundings);
    }
    return surroundings;
  };
}

async function nodesOf(
  found: OfficePackage,
  part: string,
  root: XmlElement,
  surroundings: Surroundings,
  isNotes: boolean,
  draft: Draft,
): Promise<OfficeContentNode[]> {
  const tree = descendantOf(root, 'spTree');
  await tellOfObjects(found, part, draft);
  if (tree === undefined) return [];
  const relations = await found.relationsOf(part);
  const diagrams = new Map<string, DiagramItem[]>();
  for (const data of await found.relatedParts(part, 'diagramData')) {
    const { root: diagram, isComplete } = await readTree(found, data, 'dgm');
    if (!isComplete) draft.warn(documentProblems.PART_CUT.reason({ part: data }));
    diagrams.set(data, diagramItems(diagram));
  }
  const byId = new Map(relations.map((relation) => [relation.id, relation]));
  return nodesOfShapes(tree, { relations: byId, surroundings, diagrams, isNotes });
}

async function countComments(found: OfficePackage, slide: string): Promise<number> {
  let comments = 0;
  for (const part of new Set(await found.relatedParts(slide, 'comments'))) {
    await found.parse(part, 'p', {
      open(name) {
        if (name === 'cm' || name === 'p188:cm' || name === 'p188:reply') comments += 1;
      },
    });
  }
  return comments;
}
