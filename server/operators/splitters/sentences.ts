import { splitSentences } from '../../chunking/splitting.ts';

/** Abbreviations before a name or a number, never at the end of a sentence. */
const alwaysFollowed = wordsOf(
  'mr mrs ms mx dr prof st rev gen col sgt capt lt cmdr gov sen rep hon pres mme mlle messrs e.g i.e cf vs viz approx ca ph.d',
);
/** Abbreviations before a number. */
const beforeNumbers = wordsOf(
  'fig figs eq eqs sec secs ch chap no nos vol vols pp p art par ver v tab app ref refs jan feb mar apr jun jul aug sep sept oct nov dec',
);
/** Abbreviations that may end a sentence, depending on what follows. */
const mayEnd = wordsOf('inc ltd co corp llc plc jr sr al dept univ assn bros a.m p.m u.s u.k u.n d.c e.u ed eds trans');
/** Frequent first words of sentences. */
const starters = wordsOf(
  'the a an it its this that these those he she they we you i his her their our my in on at as for if when while after before since ' +
    'there here however but and so then yet also no not what who how why where which some many most all each every one both with by',
);

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

const lastWord = /(?:^|[\s("'“‘[])((?:\p{L}{1,3}\.)*\p{L}{1,9})\.$/u;
const firstWord = /^[("'“‘[]*(\p{L}+)/u;
const enumeration = /^[("'“[]{0,2}(?:\d{1,3}|\p{L}|[ivx]{1,5})[.)]$/iu;
/** The day of a German date: am 3. Mai 2020. */
const germanDay = /(?:^|\s)\d{1,2}\.$/;
const germanMonth =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})/u;
/** 「“好！”他说」: the speaker belongs to the quoted speech. */
const isSaid = /[！？!?…，][”’」』"]$/u;
const says = /^\p{Script=Han}{1,8}?(?:[说问喊叫答笑]道?|道|想)(?![：:道])/u;

/** Brackets that are open, or that close after a full stop of their own. */
const inBrackets = /[（(][^（()）]*$|[。！？]）$/u;
const openingMarks = '“‘「『（(《〈【«';

/** How far to look around an end: longer words give no information. */
const nearUnits = 60;

/**
 * The sentences of a paragraph, without surrounding white space: those of Unicode (UAX #29), joined where the apparent
 * end belongs to an abbreviation, an initial, an item label or quoted speech.
 */
export function sentencesOf(paragraph: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  let end = 0;
  const take = (): void => {
    const sentence = paragraph.slice(start, end).trim();
    if (sentence !== '') sentences.push(sentence);
  };
  for (const range of splitSentences(paragraph, { start: 0, end: paragraph.length })) {
    // Unicode treats an opening mark after a full stop as a closing one.
    while (end > start && openingMarks.includes(paragraph.charAt(end - 1))) end -= 1;
    const before = paragraph.slice(Math.max(start, end - nearUnits), end).trimEnd();
    const after = paragraph.slice(end, end + nearUnits);
    if (before !== '' && !goesOn(before, after, end - start <= nearUnits)) {
      take();
      start = end;
    }
    ({ end } = range);
  }
  take();
  return sentences;
}

/** Whether a sentence continues after an apparent end. */
function goesOn(before: string, after: string, isWhole: boolean): boolean {
  if (/^\p{Ll}/u.test(after) || inBrackets.test(before)) return true;
  if (isSaid.test(before)) return says.test(after);
  if (!before.endsWith('.') && !before.endsWith(')')) return false;
  if (germanDay.test(before) && germanMonth.test(after)) return true;
  if (isWhole && enumeration.test(before.trim())) return true;
  const word = lastWord.exec(before)?.[1];
  if (word === undefined) return false;
  const lower = word.toLowerCase();
  if (alwaysFollowed.has(lower)) return true;
  if (beforeNumbers.has(lower)) return /^[\d(§#]/.test(after);
  // Initials: J. K. Rowling.
  if (!mayEnd.has(lower) && !/^(?:\p{Lu}\.)*\p{Lu}$/u.test(word)) return false;
  if (/^\p{Script=Han}/u.test(after)) return true;
  const next = firstWord.exec(after)?.[1];
  return next !== undefined && /^\p{Lu}/u.test(next) && !starters.has(next.toLowerCase());
}
