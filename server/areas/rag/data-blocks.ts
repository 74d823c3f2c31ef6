/**
 * A text of a document that can neither end nor open the block it stands in: every tag of that name, also with spaces or
 * invisible characters in it, loses its angle bracket.
 */
export function withoutTag(text: string, name: 'source' | 'text'): string {
  return text.replaceAll(tags[name], '‹');
}

const gap = String.raw`[\s\p{Cf}]{0,20}`;
const tagOf = (name: string): RegExp =>
  new RegExp(`[<＜](?=${gap}[/／\\\\]{0,3}${gap}${[...name].join(String.raw`\p{Cf}{0,5}`)})`, 'giu');
const tags = { source: tagOf('source'), text: tagOf('text') };
