import { foldWord, partsOf, cutWords } from '../../../storage/vectors/index.ts';

const [space, wideSpace] = [0x20, 0x3000];
/**
 * Kinds of characters other than ASCII letters and digits: punctuation, gaps that no word spans, and parts of words.
 */
const [mark, gap, other] = [0, 1, 2];
/** For each ASCII character: the lower case of a letter or digit, or its kind as above. */
const kinds = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9A-Za-z]/.test(character)) return character.toLowerCase().charCodeAt(0);
  if (/[ \t\n\v\f\r]/.test(character)) return gap;
  return /[!-~]/.test(character) && character !== '_' ? mark : other;
});
/** Surrogates: parts of characters of two UTF-16 code units. */
const pairs = /[\ud800-\udfff]/;
const ascii = /^[!-~]+$/;
/** Pieces up to this length are cached while the texts of one query are marked: many occur in several hits. */
const longestRemembered = 60;

export type Highlight = { start: number; end: number };

/** Returns a function that finds the query's words in a text, cut and compared as in the word index; in code points. */
export function createHighlighter(query: string): (text: string) => Highlight[] {
  const words = new Set(cutWords(query).flatMap(({ word }) => [word, ...partsOf(word).map(({ part }) => part)]));
  const runs = new Set([...words].flatMap((word) => hashesOfRuns(word)));
  const known = new Map<string, Highlight[]>();
  const findIn = (piece: string): Highlight[] => {
    const before = known.get(piece);
    if (before !== undefined) return before;
    const found = findWords(piece, words);
    if (piece.length <= longestRemembered) known.set(piece, found);
    return found;
  };
  return (text) => (words.size === 0 ? [] : highlight(text, words, runs, findIn));
}

function highlight(
  text: string,
  wanted: ReadonlySet<string>,
  runs: ReadonlySet<number>,
  findIn: (piece: string) => Highlight[],
): Highlight[] {
  const highlights: Highlight[] = [];
  let [unit, point] = [0, 0];
  const isOfUnits = !pairs.test(text);
  const pointAt = (to: number): number => {
    if (isOfUnits) return to;
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  const add = (start: number, end: number): void => void highlights.push({ start: pointAt(start), end: pointAt(end) });
  eachPiece(text, runs, (start, end, word) => {
    if (word === undefined) for (const one of findIn(text.slice(start, end))) add(start + one.start, start + one.end);
    else if (wanted.has(text.slice(word.start, word.end).toLowerCase())) add(word.start, word.end);
  });
  return highlights;
}

/** Ranges of the wanted words in a piece, in UTF-16 code units. */
function findWords(piece: string, wanted: ReadonlySet<string>): Highlight[] {
  // Cutting into words is slow, so pieces without any of the query's words are skipped.
  const found = mayHave(piece, wanted) ? findParts(piece, wanted) : [];
  return found.length > 0 ? found : findJoined(piece, wanted);
}

/** A piece that is a wanted word written with hyphens or with marks of emphasis: `e-mail`, `**W**ombats`. */
function findJoined(piece: string, wanted: ReadonlySet<string>): Highlight[] {
  const within = /[0-9A-Za-z](?:.*[0-9A-Za-z])?/s.exec(piece);
  const word = within?.[0].replaceAll(/[-*\u2010\u2011]/g, '').toLowerCase();
  if (within === null || word === undefined || word.length === within[0].length || !wanted.has(word)) return [];
  return [{ start: within.index, end: within.index + within[0].length }];
}

function findParts(piece: string, wanted: ReadonlySet<string>): Highlight[] {
  return cutWords(piece).flatMap(({ word, start, end }) => {
    if (wanted.has(word)) return [{ start, end }];
    if (cut.test(word)) return partsWithin(piece.slice(start, end), start, wanted);
    // The parts of the word as written: folding may change its length.
    return partsOf(piece.slice(start, end).replaceAll('\u2019', "'")).flatMap(({ part, start: at }) =>
      wanted.has(foldWord(part)) ? [{ start: start + at, end: start + at + part.length }] : [],
    );
  });
}

/** Scripts whose words are found as parts of longer ones: dictionaries and particles decide where those end. */
const cut = /[\p{Script=Han}\uac00-\ud7a3]/u;

function partsWithin(text: string, from: number, wanted: ReadonlySet<string>): Highlight[] {
  const folded = foldWord(text);
  // Folding changed the length: the places are not known.
  if (folded.length !== text.length) return [];
  const found: Highlight[] = [];
  for (const word of wanted) {
    if (!cut.test(word)) continue;
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + word.length))
      found.push({ start: from + at, end: from + at + word.length });
  }
  return withoutOverlaps(found.sort((one, other) => one.start - other.start || other.end - one.end));
}

function withoutOverlaps(sorted: readonly Highlight[]): Highlight[] {
  const kept: Highlight[] = [];
  for (const one of sorted) if (one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
  return kept;
}

/**
 * Calls `take` for each piece between gaps that may hold a word of the query: it has a wanted run of ASCII letters and
 * digits, or non-ASCII characters. Looks at each character once. `word`: the only run of a piece that is otherwise
 * punctuation.
 */
function eachPiece(
  text: string,
  runs: ReadonlySet<number>,
  take: (start: number, end: number, word: Highlight | undefined) => void,
): void {
  let start = 0;
  let hash = emptyRun;
  let before = space;
  let isTaken = false;
  let isPlain = true;
  let runStart = 0;
  let runEnd = 0;
  let count = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : space;
    const kind = code < 0x80 ? (kinds[code] ?? 0) : code === wideSpace ? gap : other;
    if (kind > other) {
      if (hash === emptyRun) runStart = at;
      hash = addToRun(hash, kind);
      if (isTurn(before, code)) {
        isTaken = true;
        isPlain = false;
      }
      before = code;
      continue;
    }
    if (hash !== emptyRun) {
      isTaken ||= runs.has(hash);
      hash = emptyRun;
      runEnd = at;
      count += 1;
    }
    before = code;
    if (kind === gap) {
      if (count > 1 && !isTaken && runs.has(hashOfAll(text, start, at))) {
        isTaken = true;
        isPlain = false;
      }
      if (isTaken) take(start, at, isPlain && count === 1 ? { start: runStart, end: runEnd } : undefined);
      start = at + 1;
      isTaken = false;
      isPlain = true;
      count = 0;
    } else if (kind === other) {
      isPlain = false;
      isTaken ||= code > 0x7f;
    }
  }
}

/** The hash of all ASCII letters and digits of a piece, whatever stands between them. */
function hashOfAll(text: string, start: number, end: number): number {
  let hash = emptyRun;
  for (let at = start; at < end; at++) {
    const kind = kinds[text.charCodeAt(at)] ?? 0;
    if (kind > other) hash = addToRun(hash, kind);
  }
  return hash;
}

/** Whether a part of a name of code or a unit may begin here: `getUser`, `5GHz`. */
function isTurn(before: number, code: number): boolean {
  const isUpper = code >= 0x41 && code <= 0x5a;
  const isLetter = isUpper || (code >= 0x61 && code <= 0x7a);
  return (isUpper && before >= 0x61 && before <= 0x7a) || (isLetter && before >= 0x30 && before <= 0x39);
}

/** Names of code and measures, which have parts without a mark between them. */
const turned = /[a-z][A-Z]|[A-Z]{3}[a-z]|[0-9][A-Za-z]/;

/** The hashes (FNV-1a) of the runs of ASCII letters and digits in a word. */
function hashesOfRuns(word: string): number[] {
  const runs = word.match(/[0-9a-z]+/g) ?? [];
  return runs.map((run) => {
    let hash = emptyRun;
    for (let at = 0; at < run.length; at++) hash = addToRun(hash, run.charCodeAt(at));
    return hash;
  });
}

const emptyRun = 0x811c9dc5 | 0;

function addToRun(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** Whether cutting a piece may give one of the words. */
function mayHave(piece: string, wanted: ReadonlySet<string>): boolean {
  const folded = foldWord(piece);
  // Letters that fold into several may hide where a word ends.
  const isPlain = ascii.test(piece) && !turned.test(piece);
  for (const word of wanted) {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      if (!isPlain || !(isInWord(folded.charCodeAt(at - 1)) || isInWord(folded.charCodeAt(at + word.length))))
        return true;
  }
  return false;
}

/** Whether a code is one of a-z or 0-9: no word or part of a word ends between two of these. */
function isInWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
