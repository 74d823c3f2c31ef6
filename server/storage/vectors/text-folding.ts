/**
 * The form in which texts and queries are compared word by word: compatibility forms as their plain characters (NFKC, such
 * as full-width letters, half-width kana and ligatures), letters without accents and vowel marks, one kind of apostrophe
 * and hyphen. ASCII keeps its case, which the word index ignores.
 */
export function foldText(text: string): string {
  return isAscii(text) ? text : text.normalize('NFKC').replaceAll(folding, foldCharacter).replaceAll(marks, '');
}

export function foldWord(word: string): string {
  return foldText(word).toLowerCase();
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** All but ASCII, kana, ideographs and Korean syllables, which are what they are. */
const folding = /[^\0-\x7f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]/gu;

/** Accents, and the vowel marks of Hebrew and Arabic, which are usually left out. Marks of other scripts are letters. */
const marks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g;

/** Characters that do not decompose into what people type for them. */
const replacements: Readonly<Record<string, string>> = {
  // Letters as in the ASCII folding of Lucene.
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'k',
  ς: 'σ',
  // Й is another letter than И, not an accented one.
  й: 'й',
  // Arabic as in the normalization of Lucene: letters that writers exchange, and the bar that only stretches words.
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
  ـ: '',
  // Apostrophes and hyphens.
  '\u2018': "'",
  '\u2019': "'",
  '\u02bc': "'",
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2212': '-',
  // Characters without width.
  '\u00ad': '',
  '\u200b': '',
  '\u200e': '',
  '\u200f': '',
  '\u2060': '',
  '\ufeff': '',
};

const known = new Map(Object.entries(replacements));
/** More than the characters of most languages, without ideographs and syllables, which fold to themselves. */
const mostKnown = 10_000;

function foldCharacter(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  const lower = character.toLowerCase();
  const folded = replacements[lower] ?? lower.normalize('NFD').replaceAll(marks, '').normalize('NFC');
  if (known.size < mostKnown) known.set(character, folded);
  return folded;
}
