import { alphabets, enclosed, escapeLatex, group, joinLatex, maxDepth, signs, stack } from './latex.ts';

/** An element of MathML, of a page or of a part of a package. */
export type MathElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (MathElement | string)[];
};

const accents: Readonly<Record<string, string>> = {
  '^': String.raw`\hat`,
  ˆ: String.raw`\hat`,
  '̂': String.raw`\hat`,
  '~': String.raw`\tilde`,
  '˜': String.raw`\tilde`,
  '¯': String.raw`\overline`,
  '‾': String.raw`\overline`,
  _: String.raw`\underline`,
  '→': String.raw`\vec`,
  '⃗': String.raw`\vec`,
  '˙': String.raw`\dot`,
  '¨': String.raw`\ddot`,
  ˇ: String.raw`\check`,
  '⏞': String.raw`\overbrace`,
  '⏟': String.raw`\underbrace`,
};

const functions = new Set(
  'arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim ln log max min sec sin sinh sup tan tanh'.split(
    ' ',
  ),
);

/** A formula in MathML as LaTeX: the original TeX if it is included; empty if it says nothing. */
export function latexOfMathml(math: MathElement): string {
  const tex = (texIn(math, 0) ?? '').trim().replace(/^\{\\(?:display|text)style\s*([^]*)\}$/, '$1');
  return (tex === '' ? write(math, 0) : tex).replaceAll(/\s+/g, ' ').trim();
}

function texIn(element: MathElement, depth: number): string | undefined {
  for (const child of elementsIn(element)) {
    if (nameOf(child) === 'annotation') {
      if (/tex/i.test(child.attributes['encoding'] ?? '')) return wordsOf(child);
    } else if (depth < maxDepth) {
      const found = texIn(child, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function write(element: MathElement, depth: number): string {
  if (depth > maxDepth) return String.raw`\ldots`;
  const parts = elementsIn(element);
  const all = (): string => joinLatex(withBinomials(parts.map((part) => write(part, depth + 1))));
  const part = (index: number): string => {
    const found = parts[index];
    return found === undefined ? '' : write(found, depth + 1);
  };
  const base = (): string => baseOf(part(0));
  switch (nameOf(element)) {
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
    case 'mspace':
      return nameOf(element) === 'mspace' ? ' ' : '';
    case 'semantics':
      return part(0);
    case 'mi':
      return identifier(wordsOf(element), element.attributes['mathvariant']);
    case 'mn':
      return escapeLatex(wordsOf(element).trim());
    case 'mo':
      return operator(wordsOf(element));
    case 'mtext':
    case 'ms':
      return textOf(wordsOf(element));
    case 'mfrac':
      return /^\s*0+(?:\.0*)?(?:[a-z]+|%)?\s*$/i.test(element.attributes['linethickness'] ?? '')
        ? `${stack}{${part(0)}}{${part(1)}}`
        : String.raw`\frac{${part(0)}}{${part(1)}}`;
    case 'msqrt':
      return String.raw`\sqrt{${all()}}`;
    case 'mroot':
      return String.raw`\sqrt[${part(1)}]{${part(0)}}`;
    case 'msup':
      return `${base()}^${group(part(1))}`;
    case 'msub':
      return `${base()}_${group(part(1))}`;
    case 'msubsup':
    case 'munderover':
      return `${base()}_${group(part(1))}^${group(part(2))}`;
    case 'munder':
      return over(part(0), parts[1], part(1), String.raw`\underset`, '_');
    case 'mover':
      return over(part(0), parts[1], part(1), String.raw`\overset`, '^');
    case 'mmultiscripts':
      return multiscripts(parts, depth);
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = element.attributes;
      const inner = parts.map((one) => write(one, depth + 1));
      return enclosed(escapeLatex(open), inner.join(escapeLatex(separators.trim().slice(0, 1))), escapeLatex(close));
    }
    case 'mtable': {
      const rows = parts.map((row) =>
        elementsIn(row)
          .map((cell) => write(cell, depth + 2))
          .join(' & '),
      );
      return String.raw`\begin{matrix}${rows.join(String.raw` \\ `)}\end{matrix}`;
    }
    default:
      return parts.length === 0 ? escapeLatex(wordsOf(element).trim()) : all();
  }
}

/** Terms in which two terms above each other take the parentheses beside them. */
function withBinomials(terms: readonly string[]): string[] {
  const joined: string[] = [];
  for (const term of terms) {
    const [begin, inner] = joined.slice(-2);
    const binomial = begin === undefined || inner === undefined ? '' : enclosed(begin, inner, term);
    if (binomial.startsWith(String.raw`\binom`)) joined.splice(-2, 2, binomial);
    else joined.push(term);
  }
  return joined;
}

/** Scripts belong to the whole base. */
function baseOf(latex: string): string {
  return /^(?:\\[a-zA-Z]+|.)$/su.test(latex) && latex !== '' ? latex : `{${latex}}`;
}

function over(base: string, mark: MathElement | undefined, latex: string, command: string, script: string): string {
  const accent = mark === undefined ? undefined : accents[wordsOf(mark).trim()];
  if (accent !== undefined) return `${accent}{${base}}`;
  const isLarge = /^\\(?:sum|prod|i{1,3}nt|oint|big[a-z]+|lim|max|min|sup|inf|operatorname\{.*\})$/.test(base);
  return isLarge ? `${base}${script}${group(latex)}` : `${command}{${latex}}{${base}}`;
}

function multiscripts(parts: readonly MathElement[], depth: number): string {
  const split = parts.findIndex((one) => nameOf(one) === 'mprescripts');
  const written = (some: readonly MathElement[]): string =>
    some
      .map((one, index) => {
        const latex = nameOf(one) === 'none' ? '' : write(one, depth + 1);
        return latex === '' ? '' : `${index % 2 === 0 ? '_' : '^'}${group(latex)}`;
      })
      .join('');
  const after = parts.slice(1, split === -1 ? undefined : split);
  const before = split === -1 ? [] : parts.slice(split + 1);
  const [base] = parts;
  const prefix = before.length === 0 ? '' : `{}${written(before)}`;
  return `${prefix}${baseOf(base === undefined ? '' : write(base, depth + 1))}${written(after)}`;
}

function identifier(words: string, variant: string | undefined): string {
  const name = words.trim();
  const alphabet = alphabets[variant ?? ''];
  if (functions.has(name)) return `\\${name}`;
  if (alphabet !== undefined && name !== '') return `${alphabet}{${escapeLatex(name)}}`;
  return [...name].length > 1 && /^\p{L}+$/u.test(name) ? String.raw`\operatorname{${name}}` : symbols(name);
}

function operator(words: string): string {
  const sign = words.replaceAll(/[\u2061-\u2064\s]/gu, '');
  return functions.has(sign) ? `\\${sign}` : symbols(sign);
}

function symbols(text: string): string {
  return signs[text] ?? (/^[\p{L}]{2,}$/u.test(text) ? String.raw`\operatorname{${text}}` : escapeLatex(text));
}

function textOf(words: string): string {
  const text = words.replaceAll(/\s+/g, ' ');
  return text.trim() === ''
    ? ' '
    : String.raw`\text{${text.replaceAll(/[\\{}$&#%_^~]/g, (one) => textEscapes[one] ?? `\\${one}`)}}`;
}

const textEscapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '^': String.raw`\textasciicircum{}`,
  '~': String.raw`\textasciitilde{}`,
};

function elementsIn({ children }: MathElement): MathElement[] {
  return children.filter((child) => typeof child !== 'string');
}

function nameOf({ name }: MathElement): string {
  return name.replace(/^.*[}:]/s, '');
}

function wordsOf({ children }: MathElement): string {
  return children.map((child) => (typeof child === 'string' ? child : wordsOf(child))).join('');
}
