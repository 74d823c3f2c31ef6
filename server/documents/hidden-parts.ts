import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import type { DocumentFormat } from './formats.ts';
import { eachTag, plainText, tagsOf, type ReadPart } from './office-parts.ts';

/** Further slides are not listed individually. */
const maxListed = 10;

/** Adds warnings about hidden slides and sheets of OpenDocument: their text is included. */
export async function tellOfHiddenParts(read: ReadPart, format: DocumentFormat, draft: Draft): Promise<void> {
  if (format !== 'ods' && format !== 'odp') return;
  const content = await read('content.xml');
  if (format === 'odp') {
    const styles = stylesWith(content, 'drawing-page-properties', 'presentation:visibility', 'hidden');
    const pages = tagsOf(content, 'page');
    tellOfHiddenSlides(
      pages.flatMap((page, index) => (styles.has(page['draw:style-name'] ?? '') ? [index + 1] : [])),
      draft,
    );
    return;
  }
  const styles = stylesWith(content, 'table-properties', 'table:display', 'false');
  for (const { 'table:name': name, 'table:style-name': style = '' } of eachTag(content, 'table')) {
    if (name !== undefined && styles.has(style))
      draft.warn(documentProblems.SHEET_HIDDEN.reason({ sheet: plainText(name) }));
  }
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

/** Names of the automatic styles with this value of a property. */
function stylesWith(content: string, properties: string, name: string, value: string): Set<string> {
  const found = new Set<string>();
  for (const style of content.split(/(?=<style:style\b)/).slice(1)) {
    const [tag] = eachTag(style, 'style');
    const [inner] = eachTag(style, properties);
    if (tag !== undefined && inner?.[name] === value) found.add(tag['style:name'] ?? '');
  }
  return found;
}
