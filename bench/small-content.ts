/** Unique bytes of a small file. */
export function smallContent(index: number, sizeBytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = index + 1;
  for (let word = 0; word < words.length; word++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[word] = state;
  }
  return Buffer.from(words.buffer, 0, sizeBytes);
}
