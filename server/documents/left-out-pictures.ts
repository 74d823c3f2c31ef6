import { tagsOf, type ReadPart } from './office-parts.ts';

/** Pictures of a Word document's body; officeparser leaves them out without telling. */
export async function countWordPictures(read: ReadPart): Promise<number> {
  // Few documents have some, and the body may be large.
  const links = tagsOf(await read('word/_rels/document.xml.rels'), 'Relationship');
  if (!links.some(({ Type = '' }) => Type.endsWith('/image'))) return 0;
  // A fallback is the same picture again, for old programs.
  const body = (await read('word/document.xml')).replaceAll(/<mc:Fallback\b.*?<\/mc:Fallback>/gs, '');
  return [...body.matchAll(/<(?:a:blip|v:imagedata)[\s/>]/g)].length;
}

/** Pictures of an RTF document, without the copies for old programs and the bullets of lists. */
export function countRtfPictures(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let pictures = 0;
  let depth = 0;
  let leftAt = Number.POSITIVE_INFINITY;
  for (const [token] of text.matchAll(/\\[\\{}]|[{}]|\\(?:pict|nonshppict|listpicture)(?![a-z])/g)) {
    if (token === '{') depth += 1;
    else if (token === '}') {
      depth -= 1;
      if (depth < leftAt) leftAt = Number.POSITIVE_INFINITY;
    } else if (token === String.raw`\pict`) pictures += depth < leftAt ? 1 : 0;
    else if (token.length > 2) leftAt = Math.min(leftAt, depth);
  }
  return pictures;
}
