import { elementsOf, type HtmlElement } from './html-tree.ts';

/** A MathML formula as text: its original TeX if included, else its symbols on one line. */
export function textOfMath(math: HtmlElement): string {
  const tex = (findTex(math) ?? math.attributes['alttext'] ?? '').trim();
  if (tex === '') return lineOf(math).replaceAll(/\s+/g, ' ').trim();
  return `$${tex.replace(/^\{\\(?:display|text)style\s*([^]*)\}$/, '$1').trim()}$`;
}

function findTex(element: HtmlElement): string | undefined {
  for (const child of elementsOf(element)) {
    if (child.name === 'annotation') {
      if (/tex/i.test(child.attributes['encoding'] ?? '')) return wordsOf(child);
    } else {
      const found = findTex(child);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function wordsOf({ children }: HtmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : wordsOf(child))).join('');
}

function lineOf(element: HtmlElement): string {
  const parts = elementsOf(element)
    .filter(({ name }) => name !== 'annotation' && name !== 'annotation-xml')
    .map(lineOf);
  const [first = '', second = '', third = ''] = parts;
  switch (element.name) {
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`;
    case 'msup':
    case 'mover':
      return `${first}^${grouped(second)}`;
    case 'msub':
    case 'munder':
      return `${first}_${grouped(second)}`;
    case 'msubsup':
    case 'munderover':
      return `${first}_${grouped(second)}^${grouped(third)}`;
    case 'msqrt':
      return `√${grouped(parts.join(''))}`;
    case 'mroot':
      return `${grouped(first)}^(1/${second})`;
    case 'mtr':
      return parts.join(' ');
    case 'mtable':
      return parts.join('; ');
    case 'mspace':
      return ' ';
    case 'mo':
    case 'mi':
    case 'mn':
    case 'mtext':
    case 'ms':
      return signOf(wordsOf(element).trim(), element.name);
    default:
      return parts.length > 0 ? parts.join('') : wordsOf(element);
  }
}

/** Puts spaces around relation signs; omits invisible signs of application and multiplication. */
function signOf(text: string, name: string): string {
  const sign = text.replaceAll(/[\u2061-\u2064]/g, '');
  return name === 'mo' && /^[=<>≤≥≠≈≡∈→⇒∼]$/.test(sign) ? ` ${sign} ` : sign;
}

function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text})`;
}
