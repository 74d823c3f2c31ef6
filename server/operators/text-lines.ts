import { mix } from './deduplicators/minhash-kernel.ts';
import { traits, unitsOf, unitTraits } from './text-units.ts';

/** Traits of a line; several bits may be set. */
export const lineTraits = { bullet: 1, ellipsis: 2, sentenceEnd: 4, repeated: 8 } as const;

/** Lines or paragraphs that are not blank, in order. */
export type TextParts = {
  readonly count: number;
  /** Lengths in code points. */
  readonly lengths: Uint32Array;
  readonly traits: Uint8Array;
  /** How many are exact repeats of an earlier one. */
  readonly repeated: number;
  /** Code points of the repeats. */
  readonly repeatedLength: number;
};

export type TextLines = { readonly lines: TextParts; readonly paragraphs: TextParts; readonly lineBreaks: number };

const place = 0x0100_0193;
const basis = 0x811c_9dc5;
const bullets = new Set([...'•‣⁃▪●○◦·-*–—'].map((character) => character.charCodeAt(0)));
const closing = new Set([...'"\'”’»」』）)]'].map((character) => character.charCodeAt(0)));
const [feed, point, ellipsis] = [10, 0x2e, 0x2026];

class Parts {
  count = 0;
  lengths = new Uint32Array(64);
  traits = new Uint8Array(64);
  repeated = 0;
  repeatedLength = 0;
  readonly #seen = new Set<number>();

  /** Two hashes make a collision practically impossible. */
  add(length: number, kind: number, hash: number, other: number): void {
    if (this.count === this.lengths.length) this.#grow();
    const key = (hash >>> 0) * 0x20_0000 + (other >>> 11);
    const before = this.#seen.size;
    this.#seen.add(key);
    const isRepeated = this.#seen.size === before;
    if (isRepeated) {
      this.repeated += 1;
      this.repeatedLength += length;
    }
    this.lengths[this.count] = length;
    this.traits[this.count] = isRepeated ? kind | lineTraits.repeated : kind;
    this.count += 1;
  }

  taken(): TextParts {
    const { count, repeated, repeatedLength } = this;
    return {
      count,
      repeated,
      repeatedLength,
      lengths: this.lengths.subarray(0, count),
      traits: this.traits.subarray(0, count),
    };
  }

  #grow(): void {
    const { lengths, traits: kinds } = this;
    this.lengths = new Uint32Array(lengths.length * 2);
    this.lengths.set(lengths);
    this.traits = new Uint8Array(kinds.length * 2);
    this.traits.set(kinds);
  }
}

/**
 * The lines of a text, and its paragraphs, which end at a blank line. A carriage return before a line feed is not part
 * of the line.
 */
export function linesOf(text: string): TextLines {
  const source = unitsOf(text);
  const of = unitTraits();
  const { length } = source;
  const lines = new Parts();
  const paragraphs = new Parts();
  let lineBreaks = 0;
  let paragraph = { length: 0, hash: basis, other: basis };
  const endParagraph = (): void => {
    if (paragraph.length > 0) paragraphs.add(paragraph.length, 0, mix(paragraph.hash), mix(paragraph.other));
    paragraph = { length: 0, hash: basis, other: basis };
  };
  for (let from = 0; from <= length;) {
    let hash = basis;
    let other = basis;
    let pairs = 0;
    let first = -1;
    let last = -1;
    let at = from;
    for (; at < length; at += 1) {
      const unit = source[at] ?? 0;
      if (unit === feed) break;
      hash = Math.imul(hash ^ unit, place);
      other = Math.imul(other + unit, 0x85eb_ca6b) ^ (other >>> 15);
      if ((unit & 0xfc00) === 0xdc00) pairs += 1;
      if (((of[unit] ?? 0) & traits.space) === 0) {
        if (first === -1) first = at;
        last = at;
      }
    }
    if (at < length) lineBreaks += 1;
    if (first === -1) endParagraph();
    else {
      const count = at - from - pairs - (source[at - 1] === 13 ? 1 : 0);
      lines.add(count, kindOf(source, of, first, last), mix(hash), mix(other));
      if (paragraph.length > 0) paragraph.length += 1;
      paragraph.length += count;
      paragraph.hash = Math.imul(paragraph.hash ^ hash, place);
      paragraph.other = Math.imul(paragraph.other + other, 0x85eb_ca6b) ^ (paragraph.other >>> 15);
    }
    from = at + 1;
  }
  endParagraph();
  return { lines: lines.taken(), paragraphs: paragraphs.taken(), lineBreaks };
}

function kindOf(source: Uint16Array, of: Uint16Array, first: number, last: number): number {
  let kind = bullets.has(source[first] ?? 0) ? lineTraits.bullet : 0;
  const end = source[last] ?? 0;
  if (
    end === ellipsis ||
    (end === point && last - first >= 2 && source[last - 1] === point && source[last - 2] === point)
  )
    kind |= lineTraits.ellipsis;
  let at = last;
  while (at > first && closing.has(source[at] ?? 0)) at -= 1;
  if (((of[source[at] ?? 0] ?? 0) & traits.sentenceEnd) !== 0) kind |= lineTraits.sentenceEnd;
  return kind;
}
