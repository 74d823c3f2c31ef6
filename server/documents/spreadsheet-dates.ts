import type { OfficeContentNode } from 'officeparser';
import { fromBufferPromise, type Entry } from 'yauzl';

/** What a number of a cell means by its style. */
type DateKind = 'date' | 'time' | 'date-time';

/** Name of a sheet → cell as in `B2` → what its number means. */
type DateCells = { sheets: Map<string, Map<string, DateKind>>; isFrom1904: boolean };

/** Built-in formats of dates and times, by locale as well: ECMA-376 part 1, 18.8.30. */
const dateFormats = (id: number): boolean => (id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58);
const timeFormats = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47);

/**
 * Writes the dates and times of an Excel workbook as such (ISO 8601): a cell holds the number of a day, and only its style tells
 * that it is one. `sheets` are officeparser's and are changed.
 */
export async function writeDates(bytes: Uint8Array, sheets: readonly OfficeContentNode[]): Promise<void> {
  const cells = await readDateCells(bytes);
  if (cells === undefined) return;
  for (const sheet of sheets) {
    if (sheet.type !== 'sheet') continue;
    const kinds = cells.sheets.get(sheet.metadata?.sheetName ?? '');
    if (kinds === undefined) continue;
    for (const cell of (sheet.children ?? []).flatMap(({ children }) => children ?? [])) {
      if (cell.type !== 'cell' || cell.metadata === undefined) continue;
      const kind = kinds.get(cellName(cell.metadata.row, cell.metadata.col));
      const written = kind === undefined ? undefined : formatDate(Number(cell.text), kind, cells.isFrom1904);
      if (written === undefined) continue;
      cell.text = written;
      cell.children = [{ type: 'text', text: written }];
    }
  }
}

async function readDateCells(bytes: Uint8Array): Promise<DateCells | undefined> {
  const read = await openParts(bytes);
  const kinds = readDateStyles(await read('xl/styles.xml'));
  if (kinds.size === 0) return undefined;
  const workbook = await read('xl/workbook.xml');
  const targets = new Map(
    tagsOf(await read('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ Id, Target = '' }) => [Id, Target]),
  );
  const sheets = new Map<string, Map<string, DateKind>>();
  for (const { name = '', 'r:id': id } of tagsOf(workbook, 'sheet')) {
    const target = targets.get(id);
    if (target === undefined) continue;
    const cells = new Map<string, DateKind>();
    const xml = await read(target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    // One at a time: a sheet has millions.
    for (const { r = '', s, t = 'n' } of eachTag(xml, 'c')) {
      const kind = kinds.get(Number(s));
      if (kind !== undefined && t === 'n') cells.set(r, kind);
    }
    sheets.set(plain(name), cells);
  }
  const [properties] = tagsOf(workbook, 'workbookPr');
  return { sheets, isFrom1904: properties?.['date1904'] === '1' || properties?.['date1904'] === 'true' };
}

/** Index of a cell style → what it makes of a number. */
function readDateStyles(styles: string): Map<number, DateKind> {
  const own = new Map(
    tagsOf(styles, 'numFmt').map(({ numFmtId, formatCode = '' }) => [Number(numFmtId), kindOfCode(plain(formatCode))]),
  );
  const cellStyles = /<(?:\w+:)?cellXfs\b.*?<\/(?:\w+:)?cellXfs>/s.exec(styles)?.[0] ?? '';
  const kinds = new Map<number, DateKind>();
  for (const [index, { numFmtId }] of tagsOf(cellStyles, 'xf').entries()) {
    const id = Number(numFmtId);
    const builtIn = dateFormats(id)
      ? 'date'
      : timeFormats(id)
        ? 'time'
        : id === 22 || id === 36
          ? 'date-time'
          : undefined;
    const kind = own.get(id) ?? builtIn;
    if (kind !== undefined) kinds.set(index, kind);
  }
  return kinds;
}

function kindOfCode(code: string): DateKind | undefined {
  const letters = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').toLowerCase();
  if (/general|[0#?]/.test(letters.replaceAll(/s\.0+/g, 's'))) return undefined;
  const isDate = /[yd]/.test(letters) || /mmm/.test(letters);
  const isTime = /[hs]/.test(letters);
  if (isDate) return isTime ? 'date-time' : 'date';
  return isTime ? 'time' : undefined;
}

/** Days since the end of 1899 (since 1904 in some workbooks), a fraction for the time of day. */
function formatDate(days: number, kind: DateKind, isFrom1904: boolean): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  // Lotus 1-2-3, and so Excel, has a 29 February in 1900: days before it are one off.
  const lotus = !isFrom1904 && days >= 1 && days < 60 ? 1 : 0;
  const start = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const at = new Date(start + Math.round((days + lotus) * 86_400) * 1000).toISOString();
  const date = at.slice(0, 10);
  const time = at.slice(11, 19);
  if (kind === 'time' && days < 1) return time;
  return kind === 'date' && Number.isInteger(days) ? date : `${date} ${time}`;
}

/** The attributes of all tags of a name, whatever prefix it has. */
function* eachTag(xml: string, name: string): Generator<Record<string, string>> {
  for (const [, text = ''] of xml.matchAll(new RegExp(String.raw`<(?:\w+:)?${name}\b([^<>]*)>`, 'g'))) {
    const attributes: Record<string, string> = {};
    for (const [, key = '', value = ''] of text.matchAll(/([\w:]+)="([^"]*)"/g)) attributes[key] = value;
    yield attributes;
  }
}

function tagsOf(xml: string, name: string): Record<string, string>[] {
  return [...eachTag(xml, name)];
}

function plain(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => names[name] ?? '');
}

function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}

/** Gives the text of a part by its name, empty when there is none. */
async function openParts(bytes: Uint8Array): Promise<(name: string) => Promise<string>> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
    lazyEntries: true,
    autoClose: false,
  });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return async (name) => {
    const entry = entries.get(name);
    if (entry === undefined) return '';
    const blocks: Buffer[] = [];
    for await (const block of await zip.openReadStreamPromise(entry)) blocks.push(block as Buffer);
    return Buffer.concat(blocks).toString('utf8');
  };
}
