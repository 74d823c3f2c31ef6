/** A growing list of 32-bit words. */
export type WordList = { push(word: number): void; append(words: Uint32Array): void; values(): Uint32Array };

export function createWordList(): WordList {
  let held = new Uint32Array(256);
  let length = 0;
  const reserve = (more: number): void => {
    if (length + more <= held.length) return;
    const larger = new Uint32Array(Math.max(held.length * 2, length + more));
    larger.set(held.subarray(0, length));
    held = larger;
  };
  return {
    push(word) {
      reserve(1);
      held[length] = word;
      length += 1;
    },
    append(words) {
      reserve(words.length);
      held.set(words, length);
      length += words.length;
    },
    values: () => held.subarray(0, length),
  };
}
