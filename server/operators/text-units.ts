/** Traits of a UTF-16 unit for the text measures; several bits may be set. */
export const traits = {
  letter: 1,
  upper: 2,
  lower: 4,
  digit: 8,
  space: 16,
  punctuation: 32,
  /** A pictorial symbol: an arrow, a box, a dingbat. */
  icon: 64,
  currency: 128,
  quote: 256,
  /** Split off the beginning and the end of a word. */
  bracket: 512,
  /** A character of a script without spaces is a word of its own. */
  single: 1024,
  /** Half of a surrogate pair. */
  half: 2048,
  /** A character that forms no word by itself: punctuation, signs, control codes. */
  sign: 4096,
  sentenceEnd: 8192,
  /** A character at which a word may be split. */
  joint: 16_384,
  /** A letter, digit or mark. */
  word: 32_768,
} as const;

const unitCount = 65_536;

const classes: readonly (readonly [bits: number, pattern: RegExp])[] = [
  [traits.letter | traits.word, /\p{L}/gu],
  [traits.upper, /\p{Lu}/gu],
  [traits.lower, /[\p{Ll}\p{Lo}]/gu],
  [traits.word, /[\p{N}\p{M}]/gu],
  [traits.digit, /\p{Nd}/gu],
  // oxlint-disable-next-line no-control-regex
  [traits.space, /[\s\u001c-\u001f\u0085]/gu],
  [traits.punctuation, /\p{P}/gu],
  [traits.icon, /\p{So}/gu],
  [traits.currency, /\p{Sc}/gu],
  [traits.quote, /['"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉⟦⟧]/gu],
  [traits.bracket, /[…,:;!?¿؟¡()[\]{}<>_#*&。？！，、；：～·।،۔؛٪—–]/gu],
  [
    traits.single,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu,
  ],
  // The characters that do not count as words in datatrove, with which our results are compared.
  [
    traits.sign,
    // oxlint-disable-next-line no-control-regex
    /[!/—”:％１〈&(、━\\【#%「」，】；+^\]~“《„';’{|∶´[=\-`*．（–？！：$～«〉,><》)?）。…@_."}►»\u0000-\u0008\u000b\u000c\u000d-\u001e\u007f-\u009f]/gu,
  ],
  [traits.sentenceEnd, /[!.?։؟۔।॥၊။።፧፨‼‽⁇⁈⁉﹒﹖﹗！．？｡。]/gu],
  [traits.joint, /[.…+\-*^,–—~:<>=/\p{So}]/gu],
];

let table: Uint16Array | undefined;

/** The traits of every UTF-16 unit; computed on first use. */
export function unitTraits(): Uint16Array {
  if (table !== undefined) return table;
  const made = new Uint16Array(unitCount);
  const units: number[] = [];
  for (let unit = 0; unit < 0xd800; unit += 1) units.push(unit);
  for (let unit = 0xe000; unit < unitCount; unit += 1) units.push(unit);
  const all = Buffer.from(Uint16Array.from(units).buffer).toString('utf16le');
  for (const [bits, pattern] of classes) {
    for (const { 0: found } of all.matchAll(pattern)) {
      const unit = found.charCodeAt(0);
      made[unit] = (made[unit] ?? 0) | bits;
    }
  }
  made.fill(traits.half, 0xd800, 0xe000);
  table = made;
  return made;
}

/** Longer texts get memory of their own, which is freed with them. */
const keptUnits = 1 << 18;
let kept: Uint16Array | undefined;

/**
 * The UTF-16 units of a text; valid until the next call. A text built by earlier steps is a rope or a slice, in which
 * `charCodeAt` resolves each unit anew.
 */
export function unitsOf(text: string): Uint16Array {
  const target = text.length <= keptUnits ? (kept ??= new Uint16Array(keptUnits)) : new Uint16Array(text.length);
  Buffer.from(target.buffer).write(text, 'utf16le');
  return target.subarray(0, text.length);
}
