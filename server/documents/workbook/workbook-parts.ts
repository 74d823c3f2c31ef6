import type { OfficePackage } from '../package/office-package.ts';
import { dateKindOf, type DateKind } from './cell-dates.ts';
import { createRichTextCollector, takeEmphasis, type Emphasis, type RichText } from './rich-text.ts';

/**
 * A sheet of an Excel workbook in its order, and the part with its contents; `kind` is the type of its relationship,
 * such as `worksheet`, `chartsheet` or `dialogsheet`.
 */
export type WorkbookSheet = { name: string; part: string; kind: string; isHidden: boolean };

/** What all sheets of a workbook share. */
export type Workbook = {
  sheets: readonly WorkbookSheet[];
  /** Whether days count from 1904. */
  isFrom1904: boolean;
  texts: readonly RichText[];
  /** Styles of cells by their number. */
  styles: readonly CellStyle[];
};

export type CellStyle = { date: DateKind | undefined; emphasis: Emphasis };

/** The sheets of a workbook and the start of its calendar (ECMA-376 part 1, 18.2). */
export async function listSheets(found: OfficePackage): Promise<Pick<Workbook, 'sheets' | 'isFrom1904'>> {
  const main = (await found.mainPart()) ?? '';
  const targets = new Map((await found.relationsOf(main)).map((relation) => [relation.id, relation]));
  const sheets: WorkbookSheet[] = [];
  let isFrom1904 = false;
  await found.parse(main, 'x', {
    open(name, attributes) {
      if (name === 'workbookPr') isFrom1904 = isOn(attributes['date1904']);
      else if (name === 'sheet') {
        const target = targets.get(attributes['r:id'] ?? '');
        if (target === undefined || target.isExternal) return;
        const { name: title = '', state } = attributes;
        const isHidden = state === 'hidden' || state === 'veryHidden';
        sheets.push({ name: title, part: target.target, kind: target.type, isHidden });
      }
    },
  });
  return { sheets, isFrom1904 };
}

/** Everything but the cells. */
export async function readWorkbook(found: OfficePackage): Promise<Workbook> {
  const main = (await found.mainPart()) ?? '';
  const [texts] = await found.relatedParts(main, 'sharedStrings');
  const [styles] = await found.relatedParts(main, 'styles');
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  return {
    ...(await listSheets(found)),
    // Some producers leave these relationships out; the names are those that every program uses.
    texts: await readSharedTexts(found, texts ?? `${folder}sharedStrings.xml`),
    styles: await readStyles(found, styles ?? `${folder}styles.xml`),
  };
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

async function readSharedTexts(found: OfficePackage, part: string): Promise<RichText[]> {
  const texts: RichText[] = [];
  const collector = createRichTextCollector();
  await found.parse(part, 'x', {
    open: (name, { val }) => collector.open(name, val),
    text: (piece) => collector.text(piece),
    close(name) {
      if (name === 'si') texts.push(collector.take());
      else collector.close(name);
    },
  });
  return texts;
}

async function readStyles(found: OfficePackage, part: string): Promise<CellStyle[]> {
  const codes = new Map<number, string>();
  const fonts: Emphasis[] = [];
  const styles: CellStyle[] = [];
  // Differential styles (`dxfs`) have fonts and formats, too.
  const path: string[] = [];
  await found.parse(part, 'x', {
    open(name, attributes) {
      const [outer] = path.slice(-1);
      path.push(name);
      if (name === 'numFmt' && outer === 'numFmts')
        codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
      else if (name === 'font' && outer === 'fonts') fonts.push({});
      else if (outer === 'font' && path.at(-3) === 'fonts') {
        const font = fonts.at(-1);
        if (font !== undefined) takeEmphasis(font, name, attributes['val']);
      } else if (name === 'xf' && outer === 'cellXfs') {
        const id = Number(attributes['numFmtId'] ?? 0);
        const font = attributes['fontId'];
        const emphasis = font === undefined ? {} : (fonts[Number(font)] ?? {});
        styles.push({ date: dateKindOf(id, codes.get(id)), emphasis });
      }
    },
    close() {
      path.pop();
    },
  });
  return styles;
}
