/** A part of a word that also finds it, and where it starts. */
export type WordPart = { part: string; start: number };

/** What joins letters in names of files, settings and variables: a dot that is not between digits, or an underscore. */
const joint = /(?<!\p{Nd}(?=.\p{Nd}))\.|_/u;
/** Where names of code and measures change: `get|User`, `HTTP|Server`, `5|GHz`. */
const turn = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z])|(?<=^[0-9]+)(?=\p{L}{1,4}$)/u;
const mayTurn = /[a-z][A-Z]|[A-Z]{3}[a-z]|^[0-9]+\p{L}{1,4}$/u;
/** Single letters, such as those of “e.g.”, carry no meaning. */
const shortestPart = 2;
/** Longer runs of letters and digits are keys and encoded data, not names. */
const longestName = 40;
const mostTurns = 8;
/** Shorter ones are endings and articles, as in `don't`, `they're` and `l'été`. */
const longWord = /^\p{L}{3,}$/u;

/** The parts that also find a word as it is written: `modprobe` and `conf` for `modprobe.conf`, 데이터 for 데이터를. */
export function partsOf(word: string): WordPart[] {
  if (hangul.test(word)) return stemsOf(word);
  const pieces = split(word, 0, joint);
  const parts = pieces.length === 1 ? [] : pieces;
  for (const { part, start } of pieces) {
    const turned = part.length <= longestName && mayTurn.test(part) ? split(part, start, turn) : [];
    if (turned.length > mostTurns) continue;
    parts.push(...turned.filter((one) => one.part !== part));
    // Letters beside digits in such names: `Server` and `XX` of `HTTPServer2XX`.
    for (const one of turned.length > 1 && turned[0]?.part !== digitsOf(part) ? turned : [])
      if (/[A-Za-z][0-9]|[0-9][A-Za-z]/.test(one.part))
        for (const { 0: letters, index } of one.part.matchAll(/[A-Za-z]+/g))
          parts.push({ part: letters, start: one.start + index });
  }
  return [...parts.filter(({ part }) => part.length >= shortestPart || /[^\0-\x7f]/.test(part)), ...stemsOf(word)];
}

function digitsOf(word: string): string {
  return /^[0-9]*/.exec(word)?.[0] ?? '';
}

function split(word: string, from: number, at: RegExp): WordPart[] {
  let start = from;
  const width = at === joint ? 1 : 0;
  return word.split(at).map((part) => {
    const one = { part, start };
    start += part.length + width;
    return one;
  });
}

/**
 * Particles of Korean, which are written without a space behind a noun, from the longest on; those of two syllables and
 * more first, as 에서 ends in no particle of its own.
 */
const particles =
  /(?:으로부터|에서부터|이라고|에게서|한테서|이라는|으로는|에서는|에서도|까지는|부터는|에게는|으로|에서|에게|한테|까지|부터|처럼|보다|마다|조차|마저|밖에|이나|이란|이라|라고|라는|하고|과는|와는|에는|에도|의|을|를|은|는|이|가|에|로|와|과|도|만|께|나)$/;
const hangul = /^[\uac00-\ud7a3]+$/;
/** The article of Arabic and the prepositions and conjunctions that are written together with it. */
const arabicPrefix = /^(?:وال|بال|كال|فال|ال|لل)(?=[\u0621-\u064a]{3})/;
/** The article, prepositions and conjunctions of Hebrew, which are written together with the next word. */
const hebrewPrefix = /^(?:וה|שה|מה|כש|[ובהלמכש])(?=[\u05d0-\u05ea]{3})/;

/** A word without what its language writes together with it. */
function stemsOf(word: string): WordPart[] {
  // A name before an ending (Darwin's, Ankara'da), or what follows an article, preposition or pronoun (l'été).
  if (word.includes("'")) {
    let start = 0;
    return word.split("'").flatMap((part) => {
      const one = { part, start };
      start += part.length + 1;
      return longWord.test(part) ? [one] : [];
    });
  }
  const first = word.charCodeAt(0);
  if (first < 0x590) return [];
  if (hangul.test(word)) {
    const stem = word.replace(particles, '');
    return stem === word || stem === '' ? [] : [{ part: stem, start: 0 }];
  }
  const prefix = (arabicPrefix.exec(word) ?? hebrewPrefix.exec(word))?.[0];
  return prefix === undefined ? [] : [{ part: word.slice(prefix.length), start: prefix.length }];
}
