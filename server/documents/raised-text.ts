import type { OfficeContentNode } from 'officeparser';

/** Characters that have a raised and a lowered form of their own. */
const plain = '0123456789+-=()ni';
const raisedForms = [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ'];
const loweredForms = [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ'];
const raisedOf = new Map([...plain].map((character, index) => [character, raisedForms[index] ?? character]));
const loweredOf = new Map([...plain].map((character, index) => [character, loweredForms[index] ?? character]));
for (const map of [raisedOf, loweredOf]) map.set('−', map.get('-') ?? '−');

/** Raised letters that say the same on the line: 1st, 2nd, nᵉʳ, ®. */
const meaningless = /^(?:st|nd|rd|th|er|re|e|ère|ème|o|a|os|as|º|ª|™|®|©|℠|TM|SM|\*+|†+|‡+|§+|[.,;:!?'"’”]+)$/iu;

/** Raised text as characters of Unicode, or behind a `^`: 10⁶, x^(a+b). */
export function raised(text: string): string {
  return shifted(text, raisedOf, '^');
}

/** Lowered text as characters of Unicode, or behind a `_`: H₂O, V_max. */
export function lowered(text: string): string {
  return shifted(text, loweredOf, '_');
}

function shifted(text: string, forms: ReadonlyMap<string, string>, sign: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  if (inner === '' || (sign === '^' && meaningless.test(inner)) || isShifted(inner)) return text;
  const characters = [...inner];
  const written = characters.every((character) => forms.has(character))
    ? characters.map((character) => forms.get(character)).join('')
    : /^[\p{L}\p{N}\p{M}]+$/u.test(inner)
      ? `${sign}${inner}`
      : `${sign}(${inner})`;
  return `${before}${written}${after}`;
}

/** Whether the characters are raised or lowered by themselves. */
function isShifted(text: string): boolean {
  return [...text].every((character) => raisedForms.includes(character) || loweredForms.includes(character));
}

/**
 * Writes raised and lowered texts so that they differ from text on the line: 10⁶ is not 106. A paragraph that is raised
 * as a whole stays as it is. Modifies `nodes`.
 */
export function writeRaisedText(nodes: readonly OfficeContentNode[]): void {
  for (const node of nodes) {
    for (const inner of [node.children ?? [], node.notes ?? [], node.comments ?? []]) writeRaisedText(inner);
    writeRuns(node.children ?? []);
  }
}

function writeRuns(nodes: readonly OfficeContentNode[]): void {
  const runs = nodes.filter(({ type, text = '' }) => type === 'text' && text.trim() !== '');
  if (runs.every((run) => shiftOf(run) !== undefined)) return;
  // Runs set alike that follow each other are one text: “1” and “0” are 10.
  for (let at = 0; at < nodes.length;) {
    const shift = shiftOf(nodes[at]);
    let end = at + 1;
    if (shift !== undefined) {
      while (end < nodes.length && shiftOf(nodes[end]) === shift && !hasNotes(nodes[end - 1])) end += 1;
      writeRun(nodes.slice(at, end), shift);
    }
    at = end;
  }
}

function writeRun(nodes: readonly OfficeContentNode[], shift: 'superscript' | 'subscript'): void {
  const text = nodes.map((node) => node.text ?? '').join('');
  const written = shift === 'superscript' ? raised(text) : lowered(text);
  for (const [index, node] of nodes.entries()) {
    if (written !== text) node.text = index === 0 ? written : '';
    // The sign says it now; the generator must not keep the runs apart.
    node.formatting = { ...node.formatting, superscript: false, subscript: false };
  }
}

function shiftOf(node: OfficeContentNode | undefined): 'superscript' | 'subscript' | undefined {
  if (node?.type !== 'text') return undefined;
  if (node.formatting?.superscript === true) return 'superscript';
  return node.formatting?.subscript === true ? 'subscript' : undefined;
}

function hasNotes(node: OfficeContentNode | undefined): boolean {
  return (node?.notes?.length ?? 0) > 0;
}
