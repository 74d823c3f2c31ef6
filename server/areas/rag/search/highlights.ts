import { foldWord, partsOf, cutWords } from '../../../storage/vectors/index.ts';

/** Words never reach over these: space, tab, ends of lines and pages, and the space of Chinese. */
const gaps: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x3000]);
const ascii = /^[!-~]+$/;
/** One word of ASCII with nothing but marks around it. */
const plain = /^[!-/:-@[-^`{-~]*([0-9A-Za-z]+)[!-/:-@[-^`{-~]*$/;

export type Highlight = { start: number; end: number };

/** Finds where words of a query stand in texts, in code points; cut and compared as the word index finds them. */
export function createHighlighter(query: string): (text: string) => Highlight[] {
  const words = new Set(cutWords(query).flatMap(({ word }) => [word, ...partsOf(word).map(({ part }) => part)]));
  const runs = new Set([...words].flatMap((word) => hashesOfRuns(word)));
  return (text) => (words.size === 0 ? [] : highlight(text, words, runs));
}

function highlight(text: string, wanted: ReadonlySet<string>, runs: ReadonlySet<number>): Highlight[] {
  const highlights: Highlight[] = [];
  let [unit, point] = [0, 0];
  const pointAt = (to: number): number => {
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  const mark = (start: number, end: number): void => void highlights.push({ start: pointAt(start), end: pointAt(end) });
  eachPiece(text, runs, (index, end) => {
    const piece = text.slice(index, end);
    const [, word] = plain.exec(piece) ?? [];
    if (word !== undefined) {
      if (!wanted.has(word.toLowerCase())) return;
      const start = index + piece.indexOf(word);
      mark(start, start + word.length);
      return;
    }
    // Cutting into words is slow, so only pieces are cut that may have one of the query.
    if (!mayHave(piece, wanted)) return;
    for (const { word: one, start, end } of cutWords(piece)) {
      if (wanted.has(one)) {
        mark(index + start, index + end);
        continue;
      }
      // The parts of the word as it is written: folding may change its length.
      for (const { part, start: at } of partsOf(piece.slice(start, end)))
        if (wanted.has(foldWord(part))) mark(index + start + at, index + start + at + part.length);
    }
  });
  return highlights;
}

/**
 * The pieces between gaps that have one of the runs of ASCII letters and digits, or anything but ASCII: all that may have a word of
 * the query, found by one look at each character.
 */
function eachPiece(text: string, runs: ReadonlySet<number>, take: (start: number, end: number) => void): void {
  let [start, hash, isTaken] = [0, emptyRun, false];
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0x20;
    const folded = foldAscii(code);
    if (folded !== 0) {
      hash = addToRun(hash, folded);
      continue;
    }
    if (hash !== emptyRun) {
      isTaken ||= runs.has(hash);
      hash = emptyRun;
    }
    if (gaps.has(code)) {
      if (isTaken) take(start, at);
      [start, isTaken] = [at + 1, false];
    } else if (code > 0x7f) isTaken = true;
  }
}

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

/** The lower case of an ASCII letter or digit; 0 for anything else. */
function foldAscii(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code;
  if (code >= 0x41 && code <= 0x5a) return code | 0x20;
  return code >= 0x30 && code <= 0x39 ? code : 0;
}

/** Whether cutting a piece may give one of the words. */
function mayHave(piece: string, wanted: ReadonlySet<string>): boolean {
  const folded = foldWord(piece);
  // Letters that fold into several may hide where a word ends.
  const isPlain = ascii.test(piece);
  for (const word of wanted) {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      if (!isPlain || !(isInWord(folded.charCodeAt(at - 1)) || isInWord(folded.charCodeAt(at + word.length))))
        return true;
  }
  return false;
}

/** Whether a code is one of a-z and 0-9: no word ends between two of these, and no part of one. */
function isInWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
