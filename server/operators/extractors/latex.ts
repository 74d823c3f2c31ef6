import { unitOf } from './latex-units.ts';

export type LatexOptions = {
  /** Whether formulas stay as written. */
  readonly keepsMath: boolean;
  /** Whether tables stay, with ` | ` between cells. */
  readonly keepsTables: boolean;
};

function namesIn(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/** Commands that yield no text, not even the content of their braces. */
const silent = namesIn(
  'label ref eqref pageref autoref cref Cref cite citep citet citealp citeauthor citeyear nocite bibliography bibliographystyle addbibresource ' +
    'usepackage documentclass RequirePackage input include includeonly includegraphics graphicspath pagestyle thispagestyle pagenumbering setcounter ' +
    'addtocounter setlength addtolength vspace hspace newenvironment newtheorem theoremstyle DeclareMathOperator ' +
    'hypersetup geometry color definecolor fontsize selectfont rule index glossary phantomsection addcontentsline bibitem hyphenation begin end vskip hskip cline cmidrule ' +
    'rowcolor rowcolors cellcolor columncolor linespread setstretch phantom vphantom hphantom sisetup selectlanguage lstset',
);
/** Number of leading arguments of a command or environment that only control layout; its text follows them. */
const layout: ReadonlyMap<string, number> = new Map(
  Object.entries({
    multicolumn: 2,
    multirow: 2,
    textcolor: 1,
    colorbox: 1,
    fcolorbox: 2,
    parbox: 1,
    raisebox: 1,
    resizebox: 2,
    scalebox: 1,
    rotatebox: 1,
    makebox: 0,
    framebox: 0,
    hyperlink: 1,
    hypertarget: 1,
    foreignlanguage: 1,
  }),
);
const environmentLayout: ReadonlyMap<string, number> = new Map(
  Object.entries({
    minipage: 1,
    multicols: 1,
    wrapfigure: 2,
    wraptable: 2,
    subfigure: 1,
    subtable: 1,
    adjustbox: 1,
    spacing: 1,
    column: 1,
    list: 2,
  }),
);
const definitions = namesIn('def gdef edef xdef newcommand renewcommand providecommand DeclareRobustCommand');
const headings = namesIn(
  'part chapter section subsection subsubsection paragraph subparagraph title author date caption',
);
const mathEnvironments = namesIn('math displaymath equation align gather multline eqnarray alignat flalign');
const rawEnvironments = namesIn('verbatim Verbatim lstlisting minted alltt');
const droppedEnvironments = namesIn('comment tikzpicture pgfpicture thebibliography filecontents');
const tableEnvironments = namesIn('tabular tabularx tabulary longtable array');

const symbols: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ldots: '…',
    dots: '…',
    textellipsis: '…',
    textbackslash: '\\',
    textasciitilde: '~',
    textasciicircum: '^',
    ss: 'ß',
    ae: 'æ',
    AE: 'Æ',
    oe: 'œ',
    OE: 'Œ',
    o: 'ø',
    O: 'Ø',
    aa: 'å',
    AA: 'Å',
    l: 'ł',
    L: 'Ł',
    i: 'ı',
    j: 'ȷ',
    S: '§',
    P: '¶',
    copyright: '©',
    textcopyright: '©',
    pounds: '£',
    euro: '€',
    texteuro: '€',
    textdegree: '°',
    degree: '°',
    LaTeX: 'LaTeX',
    TeX: 'TeX',
    LaTeXe: 'LaTeX2e',
    textendash: '–',
    textemdash: '—',
    textquotedblleft: '“',
    textquotedblright: '”',
    textquoteleft: '‘',
    textquoteright: '’',
    quad: ' ',
    qquad: ' ',
    space: ' ',
    newline: '\n',
    linebreak: '\n',
    par: '\n\n',
    newpage: '\n\n',
    clearpage: '\n\n',
    maketitle: '\n\n',
    textbar: '|',
    textless: '<',
    textgreater: '>',
  }),
);
const accents: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '`': '\u0300',
    "'": '\u0301',
    '^': '\u0302',
    '~': '\u0303',
    '=': '\u0304',
    u: '\u0306',
    '.': '\u0307',
    '"': '\u0308',
    r: '\u030a',
    H: '\u030b',
    v: '\u030c',
    d: '\u0323',
    c: '\u0327',
    k: '\u0328',
    b: '\u0331',
  }),
);
const quotes: ReadonlyMap<string, string> = new Map([
  ['---', '—'],
  ['--', '–'],
  ['``', '“'],
  ["''", '”'],
  ['`', '‘'],
  ['~', ' '],
]);

/** Longest removed argument and longest formula: bounds the search for their ends. */
const mostUnits = 4000;

const accent = /\\([`'^~=."])\s*\{?\s*(\\[ij]|\p{L})\}?|\\([uvHcdbkr])(?:\s*\{\s*(\\[ij]|\p{L})\}|\s+(\p{L}))/uy;
/** Inline code: in braces or between two equal delimiters. */
const inlineCode =
  /\\(?:verb\*?|lstinline(?:\[[^\]\n]{0,200}\])?|mintinline(?:\[[^\]\n]{0,200}\])?\{[\w+-]{1,20}\})(?:\{([^{}\n]{0,400})\}|([^\sA-Za-z*{])([^\n]{0,400}?)\2)/y;
const blankBeforeArgument = /[ \t]*\n?[ \t]*(?=[[{])/y;
const definedName = /\s*\\[a-zA-Z@]{1,60}[^{}\\\n]{0,40}/y;
const letName = /\s*\\[a-zA-Z@]{1,60}\s*=?\s*(?:\\[a-zA-Z@]{1,60}|[^\s\\])/y;
const endOfIf = /\\fi(?![a-zA-Z])/g;
/** A sign as item label is a list marker rather than a term. */
const itemSign = /^(?:[^\p{L}\p{N}]*|\$\\[a-z]+\$)$/iu;
const command = /\\([a-zA-Z@]+)\*?[ \t]*\n?[ \t]*(?=([^]?))/y;
const formula = /\$\$[^$]{1,4000}\$\$|\$(?:\\[^]|[^$\\\n]|\n(?!\s*\n)){1,4000}\$/y;
const comment = /%[^\n]*(?:\n[ \t]*(?!\n))?/y;
const environment = /\\begin\s*\{([a-zA-Z]+)\*?\}/y;
const mark = /---|--|``|''|[`~]/y;
const plain = /[^\\%${}~`'&\n-]+/y;

/** The text of a LaTeX document: the part between `\begin{document}` and its end, or all of it. */
export function textOfLatex(source: string, { keepsMath, keepsTables }: LatexOptions): string {
  const latex = bodyOf(source.replaceAll(/\r\n?/g, '\n'));
  const parts: string[] = [];
  const sections: string[] = [];
  /** The text to write where each open brace closes. */
  const closers: string[] = [];
  const ends = new Map<string, number>();
  let tables = 0;
  let at = 0;

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(latex);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  /** The next position of a string; each is searched for again only once it has been passed. */
  function findNext(wanted: string): number {
    const known = ends.get(wanted) ?? 0;
    if (known === -1 || known > at) return known;
    const found = latex.indexOf(wanted, at);
    ends.set(wanted, found);
    return found;
  }
  let ifEnd = 0;
  /** The next end of a TeX conditional, -1 if there is none. */
  function findEndOfIf(): number {
    if (ifEnd === -1 || ifEnd > at) return ifEnd;
    endOfIf.lastIndex = at;
    ifEnd = endOfIf.exec(latex)?.index ?? -1;
    return ifEnd;
  }
  const endOf = (name: string): number => findNext(`\\end{${name}}`);
  /** Takes the formula that begins here; undefined if it does not end soon. */
  function takeFormula(): string | undefined {
    if (latex[at] === '$') return match(formula)?.[0];
    const end = findNext(latex[at + 1] === '(' ? '\\)' : '\\]');
    if (end === -1 || end - at > mostUnits) return undefined;
    const found = latex.slice(at, end + 2);
    at = end + 2;
    return found;
  }
  /** Makes code a section of its own, with its white space. */
  function takeCode(code: string): void {
    sections.push(normalized(parts.splice(0)), code);
  }
  /** Skips arguments in brackets and braces; stops at one that does not close soon. */
  function skipArguments(pattern: RegExp): void {
    while (match(pattern) !== null);
  }
  function skipOptional(): void {
    while (match(optional) !== null);
  }
  /** Takes the next argument without its braces; without one, the position stays. */
  function takeArgument(): string | undefined {
    skipOptional();
    match(blankBeforeArgument);
    skipOptional();
    return match(argument)?.[0].slice(1, -1);
  }
  /** Skips layout arguments: in `\\parbox[t]{3cm}{text}`, up to the text. */
  function skipLayout(count: number): void {
    for (let skipped = 0; skipped < count; skipped += 1) takeArgument();
    skipOptional();
    match(blankBeforeArgument);
  }
  function takeDefinition(name: string): void {
    if (name === 'let') match(letName);
    else if (match(definedName) === null) takeArgument();
    if (name !== 'let') takeArgument();
  }
  /** `\\SI{5}{\\meter}`, `\\unit{\\meter}`, `\\num{1e5}`, `\\ang{45}`. */
  function takeQuantity(name: string): void {
    const isNumber = name !== 'si' && name !== 'unit';
    const number = isNumber ? (takeArgument() ?? '') : '';
    if (name === 'ang') parts.push(number, '°');
    else if (name === 'num') parts.push(number);
    else parts.push([number, unitOf(takeArgument() ?? '')].filter((part) => part !== '').join(' '));
  }
  function takeEnvironment(name: string, begin: string): void {
    const isMath = mathEnvironments.has(name);
    if (isMath || rawEnvironments.has(name) || droppedEnvironments.has(name)) {
      const star = begin.includes('*') ? '*' : '';
      const end = endOf(`${name}${star}`);
      if (end === -1) return;
      const inside = latex.slice(at, end);
      at = end + `\\end{${name}${star}}`.length;
      if (isMath && keepsMath) parts.push('\n\n', inside.trim(), '\n\n');
      else if (rawEnvironments.has(name)) {
        takeCode(inside.replace(/^(?:\[[^\]]*\])?(?:\{[^}]*\})?[ \t]*\n/, '').trimEnd());
      }
      return;
    }
    if (tableEnvironments.has(name)) {
      if (!keepsTables) {
        const end = endOf(name);
        if (end !== -1) at = end;
        return;
      }
      tables += 1;
      skipArguments(argumentsOf);
    }
    const count = environmentLayout.get(name);
    if (count === undefined) match(optional);
    else skipLayout(count);
    parts.push('\n\n');
  }
  function takeCommand(name: string, next: string): void {
    if (name === 'end') {
      const ended = match(/\{([a-zA-Z]+)\*?\}/y)?.[1] ?? '';
      if (tableEnvironments.has(ended)) tables = Math.max(0, tables - 1);
      parts.push('\n\n');
    } else if (name === 'item') {
      const term = match(optional)?.[0].slice(1, -1) ?? '';
      const text = textOfLatex(term, { keepsMath, keepsTables });
      parts.push('\n- ', itemSign.test(text) ? '' : `${text} `);
    } else if (name === 'iffalse') {
      const end = findEndOfIf();
      if (end !== -1) at = end + '\\fi'.length;
    } else if (name === 'let' || definitions.has(name)) {
      takeDefinition(name);
    } else if (/^(?:SI|si|qty|unit|num|ang)$/.test(name) && next === '{') {
      takeQuantity(name);
    } else if (layout.has(name)) {
      skipLayout(layout.get(name) ?? 0);
    } else if (name === 'href') {
      match(argument);
    } else if (name === 'footnote' && next === '{') {
      at += 1;
      closers.push(')');
      parts.push(' (');
    } else if (headings.has(name)) {
      match(optional);
      if (latex[at] === '{') at += 1;
      closers.push('\n\n');
      parts.push('\n\n');
    } else if (name === 'hline' || name === 'toprule' || name === 'midrule' || name === 'bottomrule') {
      return;
    } else if (silent.has(name)) {
      skipArguments(argumentsOf);
    } else {
      const symbol = symbols.get(name);
      if (symbol !== undefined) {
        parts.push(symbol);
        match(/\{\}/y);
      } else if (next === '[') match(optional);
    }
  }

  while (at < latex.length) {
    const start = at;
    const words = match(plain);
    if (words !== null) {
      parts.push(words[0]);
      continue;
    }
    const character = latex[at];
    if (character === '%') match(comment);
    else if (character === '{') {
      closers.push('');
      at += 1;
    } else if (character === '}') {
      parts.push(closers.pop() ?? '');
      at += 1;
    } else if (character === '&') {
      parts.push(tables > 0 ? ' | ' : '&');
      at += 1;
    } else if (character === '\n') {
      const blanks = match(/\n[ \t]*(?:\n\s*)?/y)?.[0] ?? '';
      parts.push(blanks.lastIndexOf('\n') > 0 ? '\n\n' : ' ');
    } else if (character === '$' || latex.startsWith('\\(', at) || latex.startsWith('\\[', at)) {
      const found = takeFormula();
      if (found === undefined) at += 1;
      else if (keepsMath) parts.push(found);
    } else if (character === '\\') {
      const code = match(inlineCode);
      const begun = code === null ? match(environment) : null;
      const letter = code === null && begun === null ? match(accent) : null;
      if (code !== null) parts.push(code[1] ?? code[3] ?? '');
      else if (begun !== null) takeEnvironment(begun[1] ?? '', begun[0]);
      else if (letter !== null) {
        const base = (letter[2] ?? letter[4] ?? letter[5] ?? '').replace('\\', '');
        parts.push((base + (accents.get(letter[1] ?? letter[3] ?? '') ?? '')).normalize('NFC'));
      } else {
        const named = match(command);
        if (named !== null) takeCommand(named[1] ?? '', named[2] ?? '');
        else {
          const escaped = latex[at + 1] ?? '';
          parts.push(escaped === '\\' ? '\n' : /[,;:! ]/.test(escaped) ? ' ' : /[-/@]/.test(escaped) ? '' : escaped);
          at += 2;
          if (escaped === '\\') match(/\*?(?:\[[^\]\n]{0,20}\])?[ \t]*\n?[ \t]*/y);
        }
      }
    } else {
      const found = match(mark)?.[0];
      parts.push(found === undefined ? (character ?? '') : (quotes.get(found) ?? found));
      if (found === undefined) at += 1;
    }
    if (at === start) at += 1;
  }
  return [...sections, normalized(parts)].filter((section) => section !== '').join('\n\n');
}

function normalized(parts: readonly string[]): string {
  return parts
    .join('')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** An argument in brackets; one in braces, with up to two nested levels; and either of the two. */
const bracketed = String.raw`\[[^\]]{0,400}\]`;
const braced = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,${mostUnits}}\}){0,${mostUnits}}\}){0,${mostUnits}}\}`;
const optional = new RegExp(bracketed, 'y');
const argument = new RegExp(braced, 'y');
const argumentsOf = new RegExp(`${bracketed}|${braced}`, 'y');

function bodyOf(latex: string): string {
  const begin = latex.indexOf('\\begin{document}');
  if (begin === -1) return latex;
  const end = latex.indexOf('\\end{document}', begin);
  return latex.slice(begin + '\\begin{document}'.length, end === -1 ? latex.length : end);
}
