import { alphabets, enclosed, escapeLatex, group, joinLatex, maxDepth, signs, stack } from './latex.ts';
import { elementsOf, textIn, type XmlElement } from './xml-tree.ts';

const accents: Readonly<Record<string, string>> = {
  '\u0304': String.raw`\bar`,
  '\u20d7': String.raw`\vec`,
  '\u0307': String.raw`\dot`,
};

/** A formula of Office (ECMA-376 part 1, 22.1) as LaTeX; empty if it says nothing. */
export function latexOf(element: XmlElement): string {
  return write(element, 0).trim();
}

function write(element: XmlElement, depth: number): string {
  if (depth > maxDepth) return String.raw`\ldots`;
  const name = element.name.replace(/^m:/, '');
  if (name.endsWith('Pr')) return '';
  const parts = [...elementsOf(element)];
  const all = (): string => joinLatex(parts.map((part) => write(part, depth + 1)));
  const part = (wanted: string): string => {
    const found = parts.find((one) => one.name === `m:${wanted}`);
    return found === undefined ? '' : write(found, depth + 1);
  };
  const property = (wanted: string): string | undefined => {
    const properties = parts.find((one) => one.name === `m:${name}Pr`);
    const found =
      properties === undefined ? undefined : [...elementsOf(properties)].find((one) => one.name === `m:${wanted}`);
    return found === undefined ? undefined : (found.attributes['m:val'] ?? found.attributes['val'] ?? '');
  };
  const scripts = (): string => {
    const [sub, sup] = [part('sub'), part('sup')];
    return `${sub === '' ? '' : `_${group(sub)}`}${sup === '' ? '' : `^${group(sup)}`}`;
  };
  switch (name) {
    case 'r': {
      const body = all();
      const alphabet = alphabets[property('scr') ?? ''] ?? (property('sty') === 'b' ? String.raw`\mathbf` : undefined);
      return alphabet === undefined || body === '' ? body : `${alphabet}{${body}}`;
    }
    case 't':
      return escapeLatex(textIn(element));
    case 'f': {
      const [over, under] = [part('num'), part('den')];
      const type = property('type');
      if (type === 'lin') return `${group(over)}/${group(under)}`;
      return type === 'noBar' ? `${stack}{${over}}{${under}}` : String.raw`\frac{${over}}{${under}}`;
    }
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return `${group(part('e'))}${scripts()}`;
    case 'sPre':
      return `{}${scripts()}${group(part('e'))}`;
    case 'd': {
      const inner = parts.filter((one) => one.name === 'm:e').map((one) => write(one, depth + 1));
      const [begin, separator, end] = [property('begChr') ?? '(', property('sepChr') ?? ',', property('endChr') ?? ')'];
      return enclosed(escapeLatex(begin), inner.join(escapeLatex(separator)), escapeLatex(end));
    }
    case 'rad': {
      const degree = part('deg');
      return String.raw`\sqrt${degree === '' ? '' : `[${degree}]`}{${part('e')}}`;
    }
    case 'nary': {
      const sign = property('chr') ?? '∫';
      return joinLatex([`${signs[sign] ?? escapeLatex(sign)}${scripts()}`, part('e')]);
    }
    case 'func':
      return String.raw`\operatorname{${part('fName')}}{${part('e')}}`;
    case 'limLow':
      return `${part('e')}_${group(part('lim'))}`;
    case 'limUpp':
      return `${part('e')}^${group(part('lim'))}`;
    case 'bar':
      return `${property('pos') === 'top' ? String.raw`\overline` : String.raw`\underline`}{${part('e')}}`;
    case 'acc':
      return `${accents[property('chr') ?? ''] ?? String.raw`\hat`}{${part('e')}}`;
    case 'm':
    case 'eqArr': {
      const rows = parts
        .filter((one) => one.name === (name === 'm' ? 'm:mr' : 'm:e'))
        .map((row) =>
          name === 'm' ? [...elementsOf(row)].map((cell) => write(cell, depth + 1)).join(' & ') : write(row, depth + 1),
        );
      if (name === 'eqArr' && rows.length === 1) return rows[0] ?? '';
      const kind = name === 'm' ? 'matrix' : 'aligned';
      return String.raw`\begin{${kind}}${rows.join(String.raw` \\ `)}\end{${kind}}`;
    }
    default:
      return all();
  }
}
