// Walks runs of digits: groups of digits with a few separators between them. A number may stand beside others in its run, as
// in `4111 1111 1111 1111 12/25`, so every span of whole groups is a candidate. A start has at most eight
// candidates: time is linear in the length of the text.

type Rule = {
  /** How many digits a number has. */
  least: number;
  most: number;
  /** How many digits its first group has at least. */
  leastFirst: number;
  /**
   * The number that consists of the groups from `start` to `end`, with signs that belong to it beside them; undefined if
   * there is none. Called with the longest candidate of each start first.
   */
  find: (text: string, start: number, end: number, run: Run) => Span | undefined;
};
type Span = { start: number; end: number };
/** Where a run begins, and where the last number ended that was found in the text. */
type Run = { start: number; taken: number };

/** What may separate the groups of a run. */
const separator = String.raw`[ \t.,/()-]`;
const mostSeparators = 3;
const mostGroups = 8;
const separators = /^[ \t.,/()-]$/;
const isSeparator = Array.from({ length: 128 }, (_, unit) => separators.test(String.fromCharCode(unit)));

/** Replaces the leftmost and longest numbers of each run of digits. */
export function createDigitRunReplacer({ least, most, leastFirst, find }: Rule) {
  const runStart = new RegExp(String.raw`\d(?:${separator}{0,${mostSeparators}}\d){${least - 1}}`, 'g');
  return (text: string, replace: (found: string) => string): string => {
    let result = '';
    let taken = 0;
    runStart.lastIndex = 0;
    for (let run = runStart.exec(text); run !== null; run = runStart.exec(text)) {
      const { starts, ends } = groupsFrom(text, run.index);
      for (let first = 0; first < starts.length; first += 1) {
        const start = starts[first] ?? 0;
        if (start < taken || (ends[first] ?? 0) - start < leastFirst) continue;
        const span = longestFrom(text, starts, ends, first, { start: run.index, taken });
        if (span === undefined) continue;
        result += text.slice(taken, span.start) + replace(text.slice(span.start, span.end));
        taken = span.end;
      }
      runStart.lastIndex = ends.at(-1) ?? run.index + 1;
    }
    return taken === 0 ? text : result + text.slice(taken);
  };

  function longestFrom(
    text: string,
    starts: readonly number[],
    ends: readonly number[],
    first: number,
    run: Run,
  ): Span | undefined {
    const start = starts[first] ?? 0;
    const candidates: number[] = [];
    let digits = 0;
    for (let last = first; last < ends.length && last < first + mostGroups; last += 1) {
      const end = ends[last] ?? 0;
      digits += end - (starts[last] ?? 0);
      if (digits > most) break;
      if (digits >= least) candidates.push(end);
    }
    for (const end of candidates.reverse()) {
      const span = find(text, start, end, run);
      if (span !== undefined) return span;
    }
    return undefined;
  }
}

/** The groups of digits of the run that begins at `from`. */
function groupsFrom(text: string, from: number): { starts: number[]; ends: number[] } {
  const [starts, ends]: [number[], number[]] = [[], []];
  for (let at = from; isDigit(text, at);) {
    starts.push(at);
    while (isDigit(text, at)) at += 1;
    ends.push(at);
    for (let count = 0; count < mostSeparators && isSeparator[text.charCodeAt(at)] === true; count += 1) at += 1;
  }
  return { starts, ends };
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 48 && unit <= 57;
}

/** Whether a figure with a sign in it begins before `start`: a fraction, a time, a date. */
export function isWithinFigure(text: string, start: number): boolean {
  return /\d[.,:/-]$/.test(text.slice(Math.max(0, start - 2), start));
}

/** Whether the figure that ends at `end` goes on behind a sign or a space: `.50`, `:30`, `/1980`, ` 599,30`. */
export function goesOn(text: string, end: number): boolean {
  const after = text.slice(end, end + 16);
  if (/^[.,:/-]\d/.test(after)) return true;
  return /^(?: \d{3}){1,3}[.,]\d\d(?!\d)/.test(after) && /(?<!\d)\d{1,3}$/.test(text.slice(Math.max(0, end - 4), end));
}

/** At the end of a number, after a space or alone; month and year only after a space. */
const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const month = String.raw`(?:0?[1-9]|1[0-2])`;
const year = String.raw`(?:(?:19|20)?\d\d)`;
const date = new RegExp(
  String.raw`(?:^|(?<= ))(?:${day}([./-])${month}\1${year}|${month}/${day}/${year}|(?:19|20)\d\d([./-])${month}\2${day})$|(?<= )(?:0[1-9]|1[0-2])/\d\d$`,
);

/** Whether a number ends with a date or with a month and a year: `+43 664 127432 09/27`. */
export function endsWithDate(found: string): boolean {
  return date.test(found);
}

const figureSigns = new Set(' \t.,:：/|;()#+-0123456789');
const longestFigures = 60;

/** The line before a position, without other figures at its end: what names a number also names those beside it. */
export function wordsBefore(text: string, at: number): string {
  let end = at;
  while (end > 0 && at - end < longestFigures && figureSigns.has(text.charAt(end - 1))) end -= 1;
  const words = text.slice(Math.max(0, end - 60), end);
  return words.slice(words.lastIndexOf('\n') + 1);
}
