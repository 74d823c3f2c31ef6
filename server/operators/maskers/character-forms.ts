// Other forms of the characters that numbers and addresses are written with: the no-break spaces of web pages, the
// full-width characters of Chinese and Japanese, the hyphens and dashes of typesetting.
import type { Masker } from './masking.ts';

const otherForms =
  /[\u00a0\u2000-\u200a\u2010-\u2013\u202f\u205f\u2212\u3000\ufe63\uff0b\uff0d-\uff0f\uff10-\uff19\uff20-\uff3a\uff41-\uff5a]/;
const allOtherForms = new RegExp(otherForms.source, 'g');

// Marks of findings, of the length of what they stand for: no text needs these two.
const first = '\ufdd0';
const further = '\ufdd1';
const noncharacters = /[\ufdd0\ufdd1]/g;
const marked = /\ufdd0\ufdd1*/g;

/** The masker finds a number also if its spaces, hyphens, digits and letters are written in another form. */
export function inAllForms(mask: Masker): Masker {
  const markFindings = (text: string): string =>
    mask(text, (found) => (found === '' ? '' : first + further.repeat(found.length - 1)));
  return (text, replace) => {
    if (!otherForms.test(text)) return mask(text, replace);
    const source = text.replaceAll(noncharacters, '\ufffd');
    const plain = markFindings(source.replaceAll(allOtherForms, usualForm));
    // As it is written, too: a dash in front of a number is no hyphen of it.
    const rest = markFindings(withMarks(source, plain));
    let masked = '';
    let taken = 0;
    for (const { 0: mark, index } of rest.matchAll(marked)) {
      masked += text.slice(taken, index) + replace(text.slice(index, index + mark.length));
      taken = index + mark.length;
    }
    return taken === 0 ? text : masked + text.slice(taken);
  };
}

/** A character of ASCII for one of another form; each is one unit of UTF-16, so that places stay the same. */
function usualForm(character: string): string {
  const usual = character.normalize('NFKC');
  if (/^[!-~]$/.test(usual)) return usual;
  return /^\p{Zs}$/u.test(character) ? ' ' : '-';
}

/** The text with the marks that are in a text of the same length. */
function withMarks(text: string, withFindings: string): string {
  let result = '';
  let taken = 0;
  for (const { 0: mark, index } of withFindings.matchAll(marked)) {
    result += text.slice(taken, index) + mark;
    taken = index + mark.length;
  }
  return result + text.slice(taken);
}
