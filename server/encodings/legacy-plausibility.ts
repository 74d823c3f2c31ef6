import type { Encoding } from './encodings.ts';

// Every byte means something in an encoding of one byte, so that decoding never fails in a wrong one; but the result
// then has letters where no language has them.

/** A lower-case letter before an upper-case one, or a sign between two letters, of those beyond ASCII. */
const oddCase = /(?<=\p{Ll})(?!\p{ASCII})\p{Lu}(?=\p{Ll}|[^\p{L}\p{M}]|$)/gu;
const oddSign = /(?<=\p{L})(?!\p{ASCII})[\p{S}\p{Po}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Cc}\p{No}](?=\p{L})/gu;
/** Signs that do stand between letters. */
const fineSigns = /[·’‘´ʼ\u00ad\u200b-\u200f°]/gu;
const control = /[\x80-\x9f\ufffd]/gu;
const latinByOther = /\p{Script=Latin}(?!\p{Script=Latin})\p{L}|(?!\p{Script=Latin})\p{L}\p{Script=Latin}/gu;
/** Letters of Serbian, Macedonian and Ukrainian that code pages have where others have the letters of Russian. */
const rareCyrillic = /[ЂЃѓЉЊЌЋЏђљњќћџ]/gu;

const scripts: Readonly<Record<string, RegExp>> = {
  'windows-1252': /[\p{Script=Latin}]/u,
};

/** How many places of a text no language would have. */
export function oddities(text: string): number {
  const plain = text.replaceAll(fineSigns, '');
  const count = (pattern: RegExp): number => plain.match(pattern)?.length ?? 0;
  const lower = plain.match(/\p{Ll}/gu)?.length ?? 0;
  const cyrillic = plain.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const rare = count(rareCyrillic);
  return (
    count(oddCase) +
    count(oddSign) +
    count(control) +
    count(latinByOther) +
    (rare * 20 > cyrillic && lower > 0 ? rare : 0)
  );
}

/** This many characters at the beginning of a text are evidence enough. */
const sampleCharacters = 200_000;

/** Whether a text decoded as declared looks like text: few oddities among its characters beyond ASCII. */
export function isPlausible(whole: string, encoding: string): boolean {
  const text = whole.slice(0, sampleCharacters);
  const beyond = text.match(/(?!\p{ASCII})\p{L}/gu)?.length ?? 0;
  const odd = oddities(text);
  if (odd > 0 && odd * 5 > beyond) return false;
  const script = scripts[encoding];
  if (script === undefined || beyond < 8) return true;
  // Western languages write most of their letters in ASCII; text in another script has hardly any.
  const letters = text.replaceAll(/<[^>]*>|&\w+;/g, '').match(/[a-z]/gi)?.length ?? 0;
  return beyond <= letters;
}

const macintosh: Readonly<Record<string, readonly Encoding[]>> = {
  'windows-1251': ['x-mac-cyrillic'],
  'koi8-r': ['x-mac-cyrillic'],
  'koi8-u': ['x-mac-cyrillic'],
  ibm866: ['x-mac-cyrillic'],
  'iso-8859-5': ['x-mac-cyrillic'],
};

const ofTwoBytes = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'] as const;
const others: readonly Encoding[] = ['macintosh', 'x-mac-cyrillic'];

/** A Macintosh's encoding, which the detector does not know, if the text has fewer oddities in it. */
export function guessMacintosh(sample: Uint8Array, detected: Encoding | undefined): Encoding | undefined {
  if (ofTwoBytes.some((encoding) => encoding === detected)) return undefined;
  const own = detected === undefined ? Infinity : oddities(new TextDecoder(detected).decode(sample));
  if (own === 0) return undefined;
  for (const candidate of macintosh[detected ?? ''] ?? others) {
    const text = new TextDecoder(candidate).decode(sample);
    const letters = text.match(/(?!\p{ASCII})\p{L}/gu)?.length ?? 0;
    const odd = oddities(text);
    if (letters > 0 && odd * 4 <= Math.min(own, letters)) return candidate;
  }
  return undefined;
}
