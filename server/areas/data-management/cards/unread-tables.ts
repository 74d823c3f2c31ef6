import { fileTypeOf } from '../../../kernel/file-path.ts';
import { compressionOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isWorkbookType } from '../../../tables/formats.ts';
import type { ViewFacts } from '../../../tables/views/index.ts';

/** Names of delimiters for messages. */
const delimiterNames: Readonly<Record<number, string>> = {
  0x2c: 'commas',
  0x3b: 'semicolons',
  0x09: 'tabs',
  0x7c: 'bars',
};

/** Why Croissant readers, which know only the media type of a table, can't read its records; undefined if they can. */
export function whyUnread(path: string, { layout, unreadable, columns }: ViewFacts): string | undefined {
  if (unreadable > 0) return `${unreadable} of its rows can not be read, and readers of Croissant stop at the first`;
  if (layout === null) return undefined;
  const { encoding, markBytes, delimited } = layout;
  if (encoding !== 'utf-8') return `it is in ${encoding.toUpperCase()}, readers of Croissant read UTF-8`;
  const format = formatOf(fileTypeOf(path));
  if (format === 'jsonl') {
    if (markBytes > 0) return 'it begins with a byte order mark, at which readers of Croissant stop';
    if (columns.some(({ type }) => type.includes('HUGEINT')))
      return 'it has whole numbers of more than 64 bits, at which readers of Croissant stop';
    if (columns.every(({ name }) => /^[-+.\d]/.test(name)))
      return 'the names of its columns are numbers or dates, which readers of Croissant do not take for names';
  }
  if (delimited === undefined) return undefined;
  const { delimiter, quoting, hasEscapes, endsAtReturns, above = [] } = delimited;
  if (above.length > 0)
    return 'lines stand above its header, of which readers of Croissant take the first for the header';
  if (hasEscapes === true)
    return 'backslashes escape the quotes within its cells, readers of Croissant expect them doubled';
  if (endsAtReturns === true)
    return 'some of its rows end with a CR alone, at which readers of Croissant do not end them';
  const expected = format === 'tsv' ? 0x09 : 0x2c;
  if (delimiter !== expected) {
    const [found = 'other characters', wanted] = [delimiterNames[delimiter], delimiterNames[expected]];
    return `its cells are separated by ${found}, readers of Croissant expect ${wanted}`;
  }
  return quoting ? undefined : 'its quotes are ordinary characters, readers of Croissant take them for those of cells';
}

/** Like `whyUnread`, from the file name alone. */
export function whyUnreadByName(path: string): string | undefined {
  if (isWorkbookType(fileTypeOf(path))) return 'readers of Croissant open no workbooks';
  return compressionOf(path) === undefined ? undefined : 'readers of Croissant open no compressed tables';
}
