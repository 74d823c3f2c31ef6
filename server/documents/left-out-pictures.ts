/** Number of pictures in an RTF document, not counting copies for old programs and list bullets. */
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
