// Variants of the characters that numbers and addresses are written with: no-break spaces of web pages, full-width
// characters of Chinese and Japanese, hyphens and dashes of typesetting.
import type { Masker } from './masking.ts';

const otherForms =
  /[\u00a0\u2000-\u200a\u2010-\u2013\u202f\u205f\u2212\u3000\ufe63\uff0b\uff0d-\uff0f\uff10-\uff19\uff20-\uff3a\uff41-\uff5a]/;
const allOtherForms = new RegExp(otherForms.source, 'g');

// Placeholders for findings, as long as what they replace: no text needs these two noncharacters.
const first = '\ufdd0';
const further = '\ufdd1';
const noncharacters = /[\ufdd0\ufdd1]/g;
const marked = /\ufdd0\ufdd1*/g;

/** Makes a masker also find numbers whose spaces, hyphens, digits and letters are written in a variant form. */
export function inAllForms(mask: Masker): Masker {
  const markFindings = (text: string): string =>
    mask(text, (found) => (found === '' ? '' : first + further.repeat(found.length - 1)));
  return (text, replace) => {
    if (!otherForms.test(text)) return mask(text, replace);
    const source = text.replaceAll(noncharacters, '\ufffd');
    const plain = markFindings(source.replaceAll(allOtherForms, usualForm));
    // Searches the original text, too: a dash before a number is not its hyphen.
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

/** The ASCII form of a variant character; both are one UTF-16 unit, so that positions stay the same. */
function usualForm(character: string): string {
  const usual = character.normalize('NFKC');
  if (/^[!-~]$/.test(usual)) return usual;
  return /^\p{Zs}$/u.test(character) ? ' ' : '-';
}

/** Copies the placeholders from a text of the same length. */
function withMarks(text: string, withFindings: string): string {
  let result = '';
  let taken = 0;
  for (const { 0: mark, index } of withFindings.matchAll(marked)) {
    result += text.slice(taken, index) + mark;
    taken = index + mark.length;
  }
  return result + text.slice(taken);
}
