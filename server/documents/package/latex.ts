/** Formulas nest three or four levels deep. */
export const maxDepth = 64;

/** Commands of alphabets, by their names in MathML and Office. */
export const alphabets: Readonly<Record<string, string>> = {
  bold: String.raw`\mathbf`,
  'double-struck': String.raw`\mathbb`,
  script: String.raw`\mathcal`,
  fraktur: String.raw`\mathfrak`,
  monospace: String.raw`\mathtt`,
  'sans-serif': String.raw`\mathsf`,
  normal: String.raw`\mathrm`,
  roman: String.raw`\mathrm`,
};

/** Commands of signs. */
export const signs: Readonly<Record<string, string>> = {
  '∑': String.raw`\sum`,
  '∏': String.raw`\prod`,
  '∫': String.raw`\int`,
  '∬': String.raw`\iint`,
  '∭': String.raw`\iiint`,
  '∮': String.raw`\oint`,
  '⋃': String.raw`\bigcup`,
  '⋂': String.raw`\bigcap`,
  '⋅': String.raw`\cdot`,
  '·': String.raw`\cdot`,
  '×': String.raw`\times`,
  '±': String.raw`\pm`,
  '−': '-',
  '≤': String.raw`\le`,
  '≥': String.raw`\ge`,
  '≠': String.raw`\ne`,
  '→': String.raw`\to`,
  '∞': String.raw`\infty`,
  '∈': String.raw`\in`,
  '⋀': String.raw`\bigwedge`,
  '⋁': String.raw`\bigvee`,
};

/** Joins terms: a command must not run into the letters behind it. */
export function joinLatex(terms: readonly string[]): string {
  return terms.reduce(
    (written, term) => written + (/\\[a-zA-Z]+$/.test(written) && /^[a-zA-Z]/.test(term) ? ' ' : '') + term,
    '',
  );
}

/** The start of two terms above each other without a line: a fraction without its bar. */
export const stack = String.raw`\genfrac{}{}{0pt}{}`;

/** A term in its delimiters; two terms above each other in parentheses are a binomial. */
export function enclosed(begin: string, latex: string, end: string): string {
  const isBinomial = begin === '(' && end === ')' && latex.startsWith(stack) && hasTwoGroups(latex.slice(stack.length));
  return isBinomial ? String.raw`\binom${latex.slice(stack.length)}` : `${begin}${latex}${end}`;
}

/** Whether a term is `{…}{…}`. */
function hasTwoGroups(latex: string): boolean {
  let [depth, groups] = [0, 0];
  for (const [sign] of latex.matchAll(/\\.|[^]/g)) {
    if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) groups += 1;
    } else if (depth === 0) return false;
  }
  return groups === 2;
}

/** One argument of a command. */
export function group(latex: string): string {
  return /^[0-9a-zA-Z]$/.test(latex) ? latex : `{${latex}}`;
}

/** Text as part of a formula. */
export function escapeLatex(text: string): string {
  return text.replaceAll(/[\\&%$#_{}~^<]/g, (character) => escapes[character] ?? `\\${character}`);
}

const escapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\backslash `,
  '~': String.raw`\sim `,
  '^': String.raw`\text{\textasciicircum}`,
  '<': String.raw`\lt `,
};
