import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import type { DocumentFormat } from './formats.ts';
import { openPackage } from './package/office-package.ts';

/** Further slides are not listed individually. */
const maxListed = 10;

/** Adds warnings about hidden slides and sheets of OpenDocument: their text is included. */
export async function tellOfHiddenParts(bytes: Uint8Array, format: DocumentFormat, draft: Draft): Promise<void> {
  if (format !== 'ods' && format !== 'odp') return;
  const hiddenStyles = new Set<string>();
  const hiddenSlides: number[] = [];
  let style = '';
  let slides = 0;
  const found = await openPackage(bytes);
  await found.parse('content.xml', '', {
    open(name, attributes) {
      if (name === 'style:style') style = attributes['style:name'] ?? '';
      else if (name === 'style:drawing-page-properties' && attributes['presentation:visibility'] === 'hidden')
        hiddenStyles.add(style);
      else if (name === 'style:table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
      else if (name === 'draw:page' && format === 'odp') {
        slides += 1;
        if (hiddenStyles.has(attributes['draw:style-name'] ?? '')) hiddenSlides.push(slides);
      } else if (name === 'table:table' && format === 'ods') {
        const { 'table:name': sheet, 'table:style-name': ownStyle = '' } = attributes;
        if (sheet !== undefined && hiddenStyles.has(ownStyle))
          draft.warn(documentProblems.SHEET_HIDDEN.reason({ sheet }));
      }
    },
  });
  tellOfHiddenSlides(hiddenSlides, draft);
}

/** Adds a warning about hidden slides: their text is included. */
export function tellOfHiddenSlides(numbers: readonly number[], draft: Draft): void {
  const [number] = numbers;
  if (number === undefined) return;
  if (numbers.length === 1) {
    draft.warn(documentProblems.SLIDE_HIDDEN.reason({ number }));
    return;
  }
  const more = numbers.length > maxListed ? ` … (${numbers.length})` : '';
  draft.warn(documentProblems.SLIDES_HIDDEN.reason({ numbers: `${numbers.slice(0, maxListed).join(', ')}${more}` }));
}
