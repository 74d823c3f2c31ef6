import { mix } from './deduplicators/minhash-kernel.ts';
import { unitsOf } from './text-units.ts';
import { shareOf } from './text-view.ts';
import { tokenTraits, type TextTokens } from './text-tokens.ts';

/** Counts of 32-bit keys; `start` resets it without clearing its memory. */
class KeyCounts {
  #keys = new Uint32Array(4096);
  #rounds = new Uint32Array(4096);
  #counts = new Uint32Array(4096);
  #round = 0;
  #mask = 4095;

  start(most: number): void {
    let size = 4096;
    while (size < most * 2) size *= 2;
    if (size > this.#mask + 1 || (size < this.#mask + 1 && this.#mask >= 1 << 20)) {
      this.#keys = new Uint32Array(size);
      this.#rounds = new Uint32Array(size);
      this.#counts = new Uint32Array(size);
      this.#mask = size - 1;
      this.#round = 0;
    }
    this.#round += 1;
    if (this.#round > 0xffff_fff0) {
      this.#rounds.fill(0);
      this.#round = 1;
    }
  }

  /** Counts a key and returns its count so far. */
  add(key: number): number {
    let at = mix(key) & this.#mask;
    for (;;) {
      if (this.#rounds[at] !== this.#round) {
        this.#rounds[at] = this.#round;
        this.#keys[at] = key;
        this.#counts[at] = 1;
        return 1;
      }
      if (this.#keys[at] === key) return (this.#counts[at] = (this.#counts[at] ?? 0) + 1);
      at = (at + 1) & this.#mask;
    }
  }
}

const counts = new KeyCounts();
const place = 0x0100_0193;

/** The hash of the n-gram that begins at each token. */
function hashesOf({ count, hashes }: TextTokens, size: number): Uint32Array {
  const runs = Math.max(0, count - size + 1);
  const found = new Uint32Array(runs);
  let oldest = 1;
  for (let power = 0; power < size; power += 1) oldest = Math.imul(oldest, place);
  let rolling = 0;
  for (let at = 0; at < count; at += 1) {
    rolling = (Math.imul(rolling, place) + (hashes[at] ?? 0)) | 0;
    if (at >= size) rolling = (rolling - Math.imul(hashes[at - size] ?? 0, oldest)) | 0;
    if (at >= size - 1) found[at - size + 1] = rolling;
  }
  return found;
}

/** Code points of all occurrences of the most common n-gram, with a space between words where one is written; 0 if none occurs twice. */
export function topNgramLength(tokens: TextTokens, size: number): number {
  const runs = hashesOf(tokens, size);
  counts.start(runs.length);
  let best = 1;
  for (const run of runs) {
    const times = counts.add(run);
    if (times > best) best = times;
  }
  if (best === 1) return 0;
  // Among equally common ones, the first counts.
  let first = 0;
  const commonest = new Set<number>();
  counts.start(runs.length);
  for (const run of runs) if (counts.add(run) === best) commonest.add(run);
  while (!commonest.has(runs[first] ?? 0)) first += 1;
  let length = 0;
  for (let at = first; at < first + size; at += 1) {
    length += tokens.lengths[at] ?? 0;
    if (at > first && !isJoined(tokens, at)) length += 1;
  }
  return length * best;
}

/** Whether no space belongs before a token: consecutive Chinese characters. */
function isJoined({ starts, ends, traits: kinds }: TextTokens, at: number): boolean {
  const either = (kinds[at - 1] ?? 0) | (kinds[at] ?? 0);
  return (either & tokenTraits.single) !== 0 && ends[at - 1] === starts[at];
}

/** Code points in n-grams that occurred before; overlaps are counted once. */
export function duplicateNgramLength(tokens: TextTokens, size: number): number {
  const runs = hashesOf(tokens, size);
  counts.start(runs.length);
  let length = 0;
  for (let at = 0; at < runs.length; at += 1) {
    if (counts.add(runs[at] ?? 0) === 1) continue;
    for (let of = at; of < at + size; of += 1) length += tokens.lengths[of] ?? 0;
    at += size - 1;
  }
  return length;
}

/** The share of character n-grams that occurred before, to four decimals. */
export function repeatedCharacterRuns(text: string, size: number): number {
  const units = unitsOf(text);
  const runs = units.length - size + 1;
  if (runs < 1) return 0;
  let oldest = 1;
  for (let power = 0; power < size; power += 1) oldest = Math.imul(oldest, place);
  counts.start(runs);
  let [rolling, repeated] = [0, 0];
  for (let at = 0; at < units.length; at += 1) {
    // Unit values are close together: without `mix`, so would be their sums.
    rolling = (Math.imul(rolling, place) + mix((units[at] ?? 0) + 1)) | 0;
    if (at >= size) rolling = (rolling - Math.imul(mix((units[at - size] ?? 0) + 1), oldest)) | 0;
    if (at >= size - 1 && counts.add(rolling >>> 0) > 1) repeated += 1;
  }
  return shareOf(repeated, runs);
}
