// Near-duplicates with a known similarity: precision and recall of the search.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { isSetOperator, operators, parseParams, type Signatures, type WholeSet } from '../index.ts';
import { bandsFor, probabilityOfComparison } from './minhash-signer.ts';

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

/** A text and a copy with a number of words replaced; returns the exact Jaccard similarity of their shingles. */
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

function signaturesOf(whole: WholeSet, texts: readonly string[]): { keys: Uint32Array; words: Uint32Array }[] {
  return texts.map((text) => {
    const [keys, words] = [new Uint32Array(whole.keys), new Uint32Array(whole.words)];
    whole.sign({ text }, keys, words, '');
    return { keys, words };
  });
}

/** Maps each dropped sample to the one that it duplicates. */
function reduced(
  whole: WholeSet,
  texts: readonly string[],
  notes: string[] = [],
): Map<number, { of: number; score: number }> {
  const signed = signaturesOf(whole, texts);
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
    (message) => notes.push(message.text),
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
      // The estimate errs by about 0.04: closer to the threshold, either outcome is right.
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

test('without a number of bands, verdicts are those of version 1.1.0', () => {
  const random = createRandom(11);
  const texts = Array.from({ length: 400 }, (_, number) => pairOf(random, number % 20, latin, ' ').texts).flat();
  // Computed with version 1.1.0 from the same texts.
  for (const [params, bands, count, sha256] of [
    [{}, 17, 101, '79e6f05fdd77a5b55c4aa4c22d4e5bfb4ca27bf723056db97131d48f447d5d66'],
    [{ threshold: 0.6, permutations: 64 }, 17, 234, '91018669abd78fadc640eb52cb04bb54c82c2a07c1533467b1167a116927774b'],
  ] as const) {
    for (const given of [params, { ...params, bands: 0 }]) {
      const whole = wholeOf(given);
      assert.equal(whole.keys, bands);
      const verdicts = [...reduced(whole, texts)].map(([index, { of, score }]) => `${index}:${of}:${score}`);
      assert.equal(verdicts.length, count);
      assert.equal(createHash('sha256').update(verdicts.join('\n')).digest('hex'), sha256);
    }
  }
});

test('the probability of a comparison is that of the book and of datasketch', () => {
  // Leskovec et al., figure 3.8: 20 bands of 5, to the printed digits.
  for (const [similarity, expected] of [
    [0.2, 0.006],
    [0.3, 0.047],
    [0.4, 0.186],
    [0.5, 0.47],
    [0.6, 0.802],
    [0.7, 0.975],
    [0.8, 0.9996],
  ] as const) {
    const probability = probabilityOfComparison(similarity, { bands: 20, rows: 5 });
    assert.ok(Math.abs(probability - expected) < 0.0006, `${similarity}: ${probability}`);
  }
  // datasketch 2.0.0: the areas under the curve below the threshold, and above the curve beyond it.
  for (const [threshold, bands, rows, falsePositive, falseNegative] of [
    [0.5, 25, 5, 0.053721591197238995, 0.03375250944883258],
    [0.75, 14, 8, 0.08555860383436503, 0.009337306072325264],
    [0.8, 9, 13, 0.025311863203367216, 0.033282136012204096],
    [0.9, 5, 25, 0.011558312354277636, 0.025318546609254904],
  ] as const) {
    const curve = (similarity: number): number => probabilityOfComparison(similarity, { bands, rows });
    assert.ok(Math.abs(areaOf(curve, 0, threshold) - falsePositive) < 0.001);
    assert.ok(Math.abs(areaOf((similarity) => 1 - curve(similarity), threshold, 1) - falseNegative) < 0.001);
  }
});

function areaOf(curve: (at: number) => number, from: number, to: number): number {
  const step = 0.001;
  let area = 0;
  for (let at = from + step / 2; at < to; at += step) area += curve(at) * step;
  return area;
}

for (const bands of [7, 14, 32]) {
  test(`with ${bands} bands, as many pairs are candidates as the curve says`, () => {
    const random = createRandom(bands);
    const permutations = 112;
    const whole = wholeOf({ bands, permutations, ngram });
    assert.equal(whole.keys, bands);
    const banding = { bands, rows: Math.floor(permutations / bands) };
    const pairs = Array.from({ length: 800 }, (_, number) => pairOf(random, number % 60, latin, ' '));
    let expected = 0;
    let candidates = 0;
    for (const { texts, jaccard } of pairs) {
      expected += probabilityOfComparison(jaccard, banding);
      const [one, two] = signaturesOf(whole, texts);
      if (one?.keys.some((key, at) => key === two?.keys[at])) candidates += 1;
    }
    assert.ok(expected > 40 && expected < 760, `the curve tells pairs apart: ${expected}`);
    // Three standard deviations of 800 draws are at most 0.053.
    assert.ok(Math.abs(candidates - expected) / pairs.length < 0.053, `${candidates} candidates, ${expected} expected`);
  });
}

test('chosen bands say what they find, and must not be more than there are hash functions', () => {
  const notes: string[] = [];
  reduced(wholeOf({ bands: 8 }), ['one two three four five six'], notes);
  assert.deepEqual(notes, [
    '8 bands of 16 hash functions: 20.4 % of the pairs with a similarity of 0.8 are compared, half of those with 0.86',
  ]);
  const operator = operators.find(({ id }) => id === 'minhash-deduplicator');
  assert.ok(operator !== undefined);
  const refused = parseParams(operator, { bands: 65, permutations: 64 });
  assert.ok(!refused.ok);
  assert.deepEqual([refused.field, refused.problem.text], ['bands', 'must not be greater than permutations (65 > 64)']);
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
    (message) => notes.push(message.text),
    () => {},
  );
  assert.match(notes.join('\n'), /^1800 times a sample was not remembered/);
});
