// Near-duplicates that are made with a known similarity: what is found must be them, and all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSetOperator, operators, parseParams, type Signatures, type WholeSet } from '../index.ts';
import { bandsFor } from './minhash-signer.ts';

/** Numbers from 0 to 1, the same every time (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ngram = 5;

/** A text and one of which so many words are replaced; with the share of common runs of words, counted exactly. */
function pairOf(
  random: () => number,
  replaced: number,
  makeWord: (random: () => number) => string,
  joint: string,
): { texts: [string, string]; jaccard: number } {
  const words = Array.from({ length: 200 }, () => makeWord(random));
  const others = [...words];
  for (let count = 0; count < replaced; count += 1) others[Math.floor(random() * others.length)] = makeWord(random);
  const runs = (list: readonly string[]): Set<string> =>
    new Set(list.slice(ngram - 1).map((_, at) => list.slice(at, at + ngram).join(' ')));
  const [one, two] = [runs(words), runs(others)];
  const common = [...one].filter((run) => two.has(run)).length;
  return { texts: [words.join(joint), others.join(joint)], jaccard: common / (one.size + two.size - common) };
}

function wholeOf(params: object): WholeSet {
  const operator = operators.find(({ id }) => id === 'minhash-deduplicator');
  assert.ok(operator !== undefined && isSetOperator(operator));
  const parsed = parseParams(operator, params);
  assert.ok(parsed.ok);
  return operator.all(parsed.params);
}

/** Sample that is dropped → the one it is a duplicate of. */
function reduced(whole: WholeSet, texts: readonly string[]): Map<number, { of: number; score: number }> {
  const signed = texts.map((text) => {
    const [keys, words] = [new Uint32Array(whole.keys), new Uint32Array(whole.words)];
    whole.sign({ text }, keys, words, '');
    return { keys, words };
  });
  const signatures: Signatures = {
    references: 0,
    count: texts.length,
    column: (key) => Uint32Array.from(signed, ({ keys }) => keys[key] ?? 0),
    read(index, target) {
      target.set(signed[index]?.words ?? []);
    },
  };
  const dropped = new Map<number, { of: number; score: number }>();
  const drop: Parameters<WholeSet['reduce']>[1] = ({ index, of, score }) => dropped.set(index, { of, score });
  whole.reduce(
    signatures,
    drop,
    () => {},
    () => {},
  );
  return dropped;
}

const latin = (random: () => number): string => `w${Math.floor(random() * 5000)}`;
const han = (random: () => number): string => String.fromCharCode(0x4e00 + Math.floor(random() * 3000));

for (const [script, makeWord, joint] of [
  ['words', latin, ' '],
  ['Chinese characters', han, ''],
] as const) {
  for (const threshold of [0.5, 0.7, 0.9]) {
    test(`precision and recall over ${script} are 0.95 or more around the threshold ${threshold}`, () => {
      const random = createRandom(threshold * 100);
      // The estimate errs by about 0.04; closer to the threshold there is no right or wrong.
      const margin = threshold === 0.9 ? 0.05 : 0.08;
      const mostReplaced = threshold === 0.9 ? 12 : 45;
      const pairs = Array.from({ length: 900 }, (_, number) =>
        pairOf(random, number % mostReplaced, makeWord, joint),
      ).filter(({ jaccard }) => Math.abs(jaccard - threshold) >= margin);
      const texts = pairs.flatMap((pair) => pair.texts);
      const dropped = reduced(wholeOf({ threshold, ngram }), texts);
      const expected = new Set(pairs.flatMap(({ jaccard }, pair) => (jaccard >= threshold ? [pair * 2 + 1] : [])));
      const right = [...dropped].filter(([index, { of }]) => expected.has(index) && of === index - 1).length;
      assert.ok(expected.size > 50 && expected.size < pairs.length - 50, 'there are pairs of both kinds');
      assert.ok(right / dropped.size >= 0.95, `precision ${right} of ${dropped.size}`);
      assert.ok(right / expected.size >= 0.95, `recall ${right} of ${expected.size}`);
      for (const [index, { score }] of dropped) {
        const { jaccard = 0 } = pairs[index >> 1] ?? {};
        assert.ok(Math.abs(score - jaccard) < 0.2, `estimated ${score} of ${jaccard}`);
      }
    });
  }
}

test('bands find what is as similar as the threshold, and are no more than that takes', () => {
  for (const threshold of [0.3, 0.5, 0.8, 0.95, 1]) {
    for (const permutations of [16, 128, 256]) {
      const { bands, rows } = bandsFor(threshold, permutations);
      assert.ok(bands >= 1 && rows >= 1 && bands * rows <= permutations);
      const found = 1 - (1 - threshold ** rows) ** bands;
      if (rows > 1) assert.ok(found >= 0.98, `${threshold} with ${permutations}: ${found}`);
    }
  }
});

test('a crowd of samples that share a key and little else is told of, and takes no end of time', () => {
  const whole = wholeOf({ threshold: 1, ngram: 1, permutations: 64 });
  const count = 2000;
  const signatures: Signatures = {
    references: 0,
    count,
    column: () => new Uint32Array(count).fill(7),
    read(index, target) {
      target.fill(index);
    },
  };
  const notes: string[] = [];
  whole.reduce(
    signatures,
    () => assert.fail('all are different'),
    (message) => notes.push(message),
    () => {},
  );
  assert.match(notes.join('\n'), /^1800 times a sample was not remembered/);
});
