import type { OfficePackage } from './office-package.ts';

/** What is drawn on a sheet or a page: the paragraphs of its text boxes and diagrams, and counts of the rest. */
export type Drawing = { texts: string[]; images: number; charts: number };

/** Reads a drawing part; of a shape that is written twice, once for old programs, the first is taken. */
export async function readDrawing(found: OfficePackage, part: string): Promise<Drawing> {
  const drawing: Drawing = { texts: [], images: 0, charts: 0 };
  await readTexts(found, part, drawing);
  for (const diagram of await found.relatedParts(part, 'diagramData')) await readTexts(found, diagram, drawing);
  return drawing;
}

async function readTexts(found: OfficePackage, part: string, drawing: Drawing): Promise<void> {
  let paragraph: string | undefined;
  let isText = false;
  let fallback = 0;
  await found.parse(part, 'a', {
    open(name) {
      if (name === 'mc:Fallback') fallback += 1;
      if (fallback > 0) return;
      if (name === 'p') paragraph = '';
      else if (name === 't') isText = true;
      else if (name === 'br' && paragraph !== undefined) paragraph += '\n';
      else if (name === 'blip') drawing.images += 1;
      else if (name === 'c:chart' || name === 'cx:chart') drawing.charts += 1;
    },
    text(text) {
      if (isText && paragraph !== undefined) paragraph += text;
    },
    close(name) {
      if (name === 'mc:Fallback') fallback -= 1;
      else if (name === 't') isText = false;
      else if (name === 'p' && paragraph !== undefined) {
        if (paragraph.trim() !== '') drawing.texts.push(paragraph);
        paragraph = undefined;
      }
    },
  });
}
