import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { plainText, tagsOf, type ReadPart } from './office-parts.ts';

/** A sheet of an Excel workbook, and the part that contains its cells. */
export type WorkbookSheet = { name: string; part: string; isHidden: boolean };

export async function listSheets(read: ReadPart): Promise<WorkbookSheet[]> {
  const targets = new Map(
    tagsOf(await read('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ Id, Target = '' }) => [Id, Target]),
  );
  return tagsOf(await read('xl/workbook.xml'), 'sheet').flatMap(({ name = '', state, 'r:id': id }) => {
    const target = targets.get(id);
    if (target === undefined) return [];
    const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    return [{ name: plainText(name), part, isHidden: state === 'hidden' || state === 'veryHidden' }];
  });
}

/**
 * Adds warnings about hidden sheets, whose text is included, and about formulas without a stored value, which are
 * missing.
 */
export async function tellOfSheets(read: ReadPart, draft: Draft): Promise<void> {
  for (const { name, part, isHidden } of await listSheets(read)) {
    if (isHidden) draft.warn(documentProblems.SHEET_HIDDEN.reason({ sheet: name }));
    const formulas = countFormulasWithoutValue(await read(part));
    if (formulas === 1) draft.warn(documentProblems.FORMULA_EMPTY.reason({ sheet: name }));
    if (formulas > 1) draft.warn(documentProblems.FORMULAS_EMPTY.reason({ count: formulas, sheet: name }));
  }
}

/** Number of formulas without a stored value, as in workbooks that no spreadsheet program has calculated. */
function countFormulasWithoutValue(xml: string): number {
  let count = 0;
  for (const [, attributes = '', content = ''] of xml.matchAll(/<(?:\w+:)?c\b([^<>]*[^/<>])>(.*?)<\/(?:\w+:)?c>/gs)) {
    if (!/<(?:\w+:)?f[\s/>]/.test(content)) continue;
    // A text may be empty, but a number may not.
    const isText = /\bt="str"/.test(attributes) && /<(?:\w+:)?v\b/.test(content);
    if (!isText && !/<(?:\w+:)?v(?:\s[^<>]*[^/<>])?>[^<]/.test(content)) count += 1;
  }
  return count;
}
