// Long texts with a few words changed: recall over pairs that differ in few bits, and no false positives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simhashDeduplicator } from './simhash-deduplicator.ts';

const size = 300;

function draw(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

test('a long text with one other word is found, one with other words throughout is not', (t) => {
  const whole = simhashDeduplicator.all({ distance: 3, ngram: 1 });
  const next = draw(1);
  const word = (): string => `w${Math.floor(next() * 5000)}`;
  const originals = Array.from({ length: size }, () => Array.from({ length: 400 }, word));
  const nearly = originals.map((words) => words.with(Math.floor(next() * words.length), 'other'));
  const unlike = originals.map((words) => words.map((one, at) => (at % 3 === 0 ? word() : one)));
  const texts = [...originals, ...nearly, ...unlike].map((words) => words.join(' '));
  const signed = texts.map((text) => {
    const signature = { keys: new Uint32Array(whole.keys), words: new Uint32Array(whole.words) };
    whole.sign({ text }, signature.keys, signature.words, '');
    return signature;
  });
  const drops = new Map<number, number>();
  whole.reduce(
    {
      count: signed.length,
      references: 0,
      column: (key) => Uint32Array.from(signed, ({ keys }) => keys[key] ?? 0),
      read: (index, target) => target.set(signed[index]?.words ?? []),
    },
    ({ index, of }) => drops.set(index, of),
    () => {},
    () => {},
  );
  const right = nearly.filter((_, at) => drops.get(size + at) === at).length;
  const wrong = drops.size - right;
  t.diagnostic(`${right} of ${size} pairs found, ${wrong} found wrongly`);
  assert.ok(right >= 0.9 * size && wrong === 0);
});
