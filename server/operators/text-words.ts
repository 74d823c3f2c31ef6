import { mix } from './deduplicators/minhash-kernel.ts';
import { isWordCodePoint } from './characters.ts';
import { basis, place, tokenTraits, type TextTokens } from './text-tokens.ts';
import { traits, unitsOf, unitTraits } from './text-units.ts';

/** Abbreviations that end with a dot of their own. */
const abbreviations = new Set(
  (
    'a.m. p.m. e.g. E.g. E.G. i.e. I.e. I.E. v.s. vs. co. Co. Dr. Mr. Mrs. Ms. Mt. Jr. St. Inc. Ltd. Corp. Bros. Prof. Gen. Gov. Rep. Rev. Sen. ' +
    'Adm. Messrs. Ph.D. D.C. N.Y. N.C. N.D. N.H. N.J. N.M. S.C. Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. Ala. Ariz. Ark. ' +
    'Calif. Colo. Conn. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Md. Mich. Minn. Miss. Mo. Mont. Neb. Nebr. Nev. Okla. Ore. ' +
    'Pa. Tenn. Va. Wash. Wis.'
  ).split(' '),
);
const longestAbbreviation = 7;

/** Words before `'d`, `'ll`, `'m`, `'re` and `'ve`. */
const contracted = new Set(
  'i you he she it we they who what when where why how there that this these those not could should would might must'.split(
    ' ',
  ),
);

const longestContracted = 6;

const units = new Set(
  'km m dm cm mm ha µm nm yd in ft kg g mg µg t lb oz kmh mph hPa Pa mbar mb MB kb KB gb GB tb TB T G M K am pm'.split(
    ' ',
  ),
);

const address =
  /^(?:[\w+\-.]{2,}:\/\/)?(?:(?:[A-Za-z0-9\u00a1-\uffff](?:[\w\u00a1-\uffff-]{0,62}[A-Za-z0-9\u00a1-\uffff])?\.)+[\p{Ll}\p{Lo}]{2,63}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5})?(?:[/?#]|$)/u;
const longestAddress = 2000;

const [point, plus, apostrophe, curled] = [0x2e, 0x2b, 0x27, 0x2019];

class TokenBuffers {
  text = '';
  source: Uint16Array = new Uint16Array(0);
  count = 0;
  starts = new Uint32Array(1024);
  ends = new Uint32Array(1024);
  hashes = new Uint32Array(1024);
  lengths = new Uint32Array(1024);
  kinds = new Uint8Array(1024);
  isLineStart = true;
  readonly of = unitTraits();
  /** Where the suffixes of the current word begin, the last one first. */
  readonly suffixes: number[] = [];

  trait(at: number): number {
    return this.of[this.source[at] ?? 0] ?? 0;
  }

  run(text: string): TextTokens {
    this.text = text;
    this.source = unitsOf(text);
    this.count = 0;
    this.isLineStart = true;
    const { source, of } = this;
    const { length } = source;
    let start = -1;
    let seen = 0;
    for (let at = 0; at < length; at += 1) {
      const unit = source[at] ?? 0;
      const trait = of[unit] ?? 0;
      if ((trait & (traits.space | traits.single | traits.half)) === 0) {
        if (start === -1) {
          start = at;
          seen = 0;
        }
        seen |= (trait & traits.word) === 0 ? trait | traits.half : trait;
        continue;
      }
      const size = (trait & traits.half) === 0 ? 1 : this.pairAt(at);
      if ((trait & traits.half) !== 0 && size === 0) {
        // A letter that is a surrogate pair is part of its word.
        if (start === -1) {
          start = at;
          seen = 0;
        }
        seen |= traits.half;
        at += 1;
        continue;
      }
      if (start !== -1) {
        this.chunk(start, at, seen);
        start = -1;
      }
      if ((trait & traits.space) === 0) {
        this.emit(at, at + size);
        at += size - 1;
      } else if (unit === 10) this.isLineStart = true;
    }
    if (start !== -1) this.chunk(start, length, seen);
    const { count } = this;
    const tokens = {
      count,
      starts: this.starts.slice(0, count),
      ends: this.ends.slice(0, count),
      hashes: this.hashes.slice(0, count),
      lengths: this.lengths.slice(0, count),
      traits: this.kinds.slice(0, count),
    };
    this.text = '';
    this.source = new Uint16Array(0);
    if (this.starts.length > 1 << 18) this.resize(1024);
    return tokens;
  }

  /** Number of units if a code point is a token of its own; 0 if it is part of a word. */
  pairAt(at: number): 0 | 1 | 2 {
    const codePoint = this.text.codePointAt(at) ?? 0;
    if (codePoint <= 0xffff) return 1;
    return codePoint >= 0x2_0000 || !isWordCodePoint(codePoint) ? 2 : 0;
  }

  /** Splits a chunk between two spaces. */
  chunk(from: number, to: number, seen: number): void {
    // Only letters, digits and marks.
    if ((seen & traits.half) === 0) {
      const unit = (seen & traits.digit) === 0 ? to : this.unitOfMeasure(from, to);
      this.emit(from, unit);
      if (unit < to) this.emit(unit, to);
      return;
    }
    let [start, end] = [from, to];
    const { suffixes } = this;
    suffixes.length = 0;
    while (start < end) {
      if (this.isAbbreviation(start, end)) break;
      const prefix = this.prefixAt(start, end);
      if (prefix > 0 && this.isAbbreviation(start + prefix, end)) {
        this.emit(start, start + prefix);
        start += prefix;
        break;
      }
      if (this.contraction(start, end) > 0) break;
      const suffix = this.suffixBefore(start + prefix, end);
      if (prefix === 0 && suffix === 0) break;
      if (prefix > 0) {
        this.emit(start, start + prefix);
        start += prefix;
      }
      if (suffix > 0) {
        end -= suffix;
        suffixes.push(end);
      }
    }
    if (start < end) this.inside(start, end);
    for (let index = suffixes.length - 1; index >= 0; index -= 1) {
      this.emit(suffixes[index] ?? 0, index === 0 ? to : (suffixes[index - 1] ?? to));
    }
  }

  isAbbreviation(start: number, end: number): boolean {
    if (this.source[end - 1] !== point || end - start > longestAbbreviation || end - start < 2) return false;
    if (end - start === 2) return (this.trait(start) & (traits.lower | traits.word)) === (traits.lower | traits.word);
    return abbreviations.has(this.text.slice(start, end));
  }

  prefixAt(start: number, end: number): number {
    const unit = this.source[start] ?? 0;
    if (unit === point) {
      let at = start + 1;
      while (at < end && this.source[at] === point) at += 1;
      return at - start >= 2 ? at - start : 0;
    }
    const trait = this.of[unit] ?? 0;
    if ((trait & (traits.bracket | traits.quote | traits.currency | traits.icon)) !== 0) return 1;
    // The signs §, % and =, and a plus that is not part of a number.
    if (unit === 0xa7 || unit === 0x25 || unit === 0x3d) return 1;
    return unit === plus && !isAsciiDigit(this.source[start + 1]) ? 1 : 0;
  }

  suffixBefore(start: number, end: number): number {
    if (end <= start) return 0;
    const last = end - 1;
    const unit = this.source[last] ?? 0;
    const trait = this.of[unit] ?? 0;
    if (last > start && (unit === 0x73 || unit === 0x53)) {
      const before = this.source[last - 1];
      if (before === apostrophe || before === curled) return 2;
    }
    if (unit === point) {
      let at = last;
      while (at > start && this.source[at - 1] === point) at -= 1;
      if (end - at >= 2) return end - at;
      if (last === start) return 0;
      const before = this.source[last - 1] ?? 0;
      const kind = this.of[before] ?? 0;
      if (isAsciiDigit(before) || (kind & (traits.lower | traits.bracket | traits.quote)) !== 0) return 1;
      // %, ², - and +.
      if (before === 0x25 || before === 0xb2 || before === 0x2d || before === plus) return 1;
      return last - start >= 2 && (kind & traits.upper) !== 0 && (this.trait(last - 2) & traits.upper) !== 0 ? 1 : 0;
    }
    if ((trait & (traits.bracket | traits.quote | traits.icon)) !== 0) return 1;
    if (
      last > start &&
      isAsciiDigit(this.source[last - 1]) &&
      ((trait & traits.currency) !== 0 || unit === plus || unit === 0x25)
    )
      return 1;
    const measure = (trait & traits.letter) === 0 ? end : this.unitOfMeasure(start, end);
    return end - measure;
  }

  /** Where the unit after a number begins (`km` in `12km`), otherwise the end. */
  unitOfMeasure(start: number, end: number): number {
    let at = end;
    while (at > start && end - at < 5 && (this.trait(at - 1) & traits.letter) !== 0) at -= 1;
    if (at === end || at === start || !isAsciiDigit(this.source[at - 1])) return end;
    return units.has(this.text.slice(at, end)) ? at : end;
  }

  /** Where the second part of `don't` or `they've` begins, otherwise 0. */
  contraction(start: number, end: number): number {
    for (let at = end - 1; at > start && at >= end - 3; at -= 1) {
      const unit = this.source[at];
      if (unit !== apostrophe && unit !== curled) continue;
      const tail = this.text.slice(at + 1, end).toLowerCase();
      if (tail === 't' && at - start >= 2 && /n/i.test(this.text.charAt(at - 1))) return at - 1;
      const isOne = tail === 'll' || tail === 're' || tail === 've' || tail === 'd' || tail === 'm';
      return isOne && at - start <= longestContracted && contracted.has(this.text.slice(start, at).toLowerCase())
        ? at
        : 0;
    }
    return 0;
  }

  /** Emits a word without affixes, split at its infixes. */
  inside(start: number, end: number): void {
    const cut = this.contraction(start, end);
    if (cut > 0) {
      this.emit(start, cut);
      this.emit(cut, end);
      return;
    }
    let from = start;
    let isChecked = this.isAbbreviation(start, end);
    if (isChecked) {
      this.emit(start, end);
      return;
    }
    for (let at = start + 1; at < end; at += 1) {
      if ((this.trait(at) & traits.joint) === 0) continue;
      const size = this.jointAt(start, at, end);
      if (size === 0) continue;
      if (!isChecked && this.isAddress(start, end)) break;
      isChecked = true;
      if (at > from) this.emit(from, at);
      this.emit(at, at + size);
      from = at + size;
      at = from - 1;
    }
    if (from < end) this.emit(from, end);
  }

  jointAt(start: number, at: number, end: number): number {
    const unit = this.source[at] ?? 0;
    if (unit === 0x2026) return 1;
    if (unit === point) {
      let last = at + 1;
      while (last < end && this.source[last] === point) last += 1;
      if (last - at >= 2) return last - at;
    }
    if ((this.trait(at) & traits.icon) !== 0) return 1;
    if (at + 1 >= end || at === start) return 0;
    const before = this.source[at - 1] ?? 0;
    const after = this.source[at + 1] ?? 0;
    const [kind, next] = [this.of[before] ?? 0, this.of[after] ?? 0];
    switch (unit) {
      case point:
        return (kind & (traits.lower | traits.quote)) !== 0 && (next & (traits.upper | traits.quote)) !== 0 ? 1 : 0;
      case 0x2c:
        return (kind & next & traits.letter) === 0 ? 0 : 1;
      case plus:
      case 0x2a:
      case 0x5e:
        return isAsciiDigit(before) && (isAsciiDigit(after) || after === 0x2d) ? 1 : 0;
      case 0x2d: {
        if (isAsciiDigit(before) && (isAsciiDigit(after) || after === 0x2d)) return 1;
        if ((kind & traits.letter) === 0 && !isAsciiDigit(before)) return 0;
        let last = at + 1;
        while (last < end && this.source[last] === 0x2d) last += 1;
        return last - at <= 3 && last < end && (this.trait(last) & traits.letter) !== 0 ? last - at : 0;
      }
      default:
        return ((kind & traits.letter) !== 0 || isAsciiDigit(before)) && (next & traits.letter) !== 0 ? 1 : 0;
    }
  }

  isAddress(start: number, end: number): boolean {
    if (end - start > longestAddress) return false;
    const text = this.text.slice(start, end);
    if (!text.includes('.')) return false;
    return address.test(text) || address.test(text.slice(text.lastIndexOf('@') + 1));
  }

  emit(start: number, end: number): void {
    if (this.count === this.starts.length) this.resize(this.count * 2);
    const { source, of, count } = this;
    // A bracket followed by a colon is one token: spaCy treats it as an emoticon.
    if (this.isFace(start, end)) {
      this.count -= 1;
      this.isLineStart = ((this.kinds[this.count] ?? 0) & tokenTraits.lineStart) !== 0;
      this.emit(start - 1, end);
      return;
    }
    let hash = basis;
    let any = 0;
    let all = 0xffff;
    let pairs = 0;
    let signs = 0;
    for (let at = start; at < end; at += 1) {
      const unit = source[at] ?? 0;
      const trait = of[unit] ?? 0;
      hash = Math.imul(hash ^ unit, place);
      any |= trait;
      all &= trait;
      signs += trait & traits.sign;
      if ((unit & 0xfc00) === 0xdc00) pairs += 1;
    }
    // Ideographs and letters that are surrogate pairs.
    const isLetterPair = pairs > 0 && isWordCodePoint(this.text.codePointAt(start) ?? 0);
    let kind = (any & traits.letter) !== 0 || isLetterPair ? tokenTraits.alphabetic : 0;
    if (signs !== (end - start) * traits.sign) kind |= tokenTraits.word;
    if ((all & traits.punctuation) !== 0) kind |= tokenTraits.punctuation;
    if ((any & traits.single) !== 0) kind |= tokenTraits.single;
    if (end - start === 1 && (all & traits.sentenceEnd) !== 0) kind |= tokenTraits.sentenceEnd;
    if (this.isLineStart) {
      kind |= tokenTraits.lineStart;
      this.isLineStart = false;
    }
    this.starts[count] = start;
    this.ends[count] = end;
    this.hashes[count] = mix(hash) >>> 0;
    this.lengths[count] = end - start - Math.min(pairs, (end - start) >> 1);
    this.kinds[count] = kind;
    this.count = count + 1;
  }

  isFace(start: number, end: number): boolean {
    const { source, count } = this;
    if (end - start !== 1 || source[start] !== 0x3a || start === 0 || source[start - 1] !== 0x29) return false;
    return count > 0 && this.starts[count - 1] === start - 1;
  }

  resize(size: number): void {
    const grown = <T extends Uint32Array | Uint8Array>(target: T, from: T): T => {
      target.set(from.subarray(0, Math.min(from.length, size)));
      return target;
    };
    this.starts = grown(new Uint32Array(size), this.starts);
    this.ends = grown(new Uint32Array(size), this.ends);
    this.hashes = grown(new Uint32Array(size), this.hashes);
    this.lengths = grown(new Uint32Array(size), this.lengths);
    this.kinds = grown(new Uint8Array(size), this.kinds);
  }
}

function isAsciiDigit(unit: number | undefined): boolean {
  return unit !== undefined && unit >= 0x30 && unit <= 0x39;
}

/** Splits a text into tokens in time linear in its length. */
export type Tokenizer = (text: string) => TextTokens;

export function createTokenizer(): Tokenizer {
  let buffers: TokenBuffers | undefined;
  return (text) => (buffers ??= new TokenBuffers()).run(text);
}
