import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseParams } from '../operator-params.ts';
import type { Match, ReferenceIndex } from '../references.ts';
import { decontaminationFilter } from './decontamination-filter.ts';

type Verdict = { dropped: boolean; score: number; matches: readonly Match[]; reason: string };

function paramsOf(given: object): Readonly<Record<string, unknown>> {
  const parsed = parseParams(decontaminationFilter, given);
  if (!parsed.ok) throw new Error(`${parsed.field} ${parsed.problem.text}`);
  return parsed.params;
}

/** An index of texts, as the rows of one file. */
function indexOf(params: Readonly<Record<string, unknown>>, texts: readonly string[]): ReferenceIndex {
  const keys = new Map<string, number>();
  const refer = decontaminationFilter.refer?.(params);
  for (const [row, text] of texts.entries()) {
    refer?.({ text }, (low, high) => {
      const key = `${low} ${high}`;
      if (!keys.has(key)) keys.set(key, row);
    });
  }
  return {
    find: (low, high) => keys.get(`${low} ${high}`) ?? -1,
    placeOf: (row) => ({ dataset: 'Tests', path: 'q.jsonl', row: row + 1, line: row + 1 }),
  };
}

function judge(given: object, tests: readonly string[]): (text: string) => Verdict {
  const params = paramsOf(given);
  const each = decontaminationFilter.each(params, { references: indexOf(params, tests) });
  return (text) => {
    const outcome = each({ text });
    assert.ok('verdict' in outcome);
    const dropped = outcome.verdict === 'drop';
    const reason = outcome.verdict === 'drop' ? outcome.reason.text : '';
    return { dropped, score: outcome.score ?? NaN, matches: outcome.matches ?? [], reason };
  };
}

const river = 'Which river flows through the middle of the city and under its oldest bridge, and where does it end?';
const medicine = '下列哪一种药物最适合用于治疗孕妇的轻度高血压，而不会影响胎儿的生长发育？';

test('a question inside a longer text is found with its place, whatever its case and punctuation', () => {
  const asked = river.toUpperCase().replaceAll(' ', ',  ');
  const text = `A page about travel.\n${asked}\nThe answer is below.`;
  const { dropped, score, matches, reason } = judge({}, ['Another question of the set, about something else.', river])(
    text,
  );
  assert.ok(dropped);
  assert.equal(matches.length, 1);
  const [match] = matches;
  assert.deepEqual([match?.dataset, match?.path, match?.row, match?.line], ['Tests', 'q.jsonl', 2, 2]);
  assert.equal(text.slice(match?.start, match?.end), asked.slice(0, -1));
  assert.equal(match?.text, asked.slice(0, -1));
  // 27 words, 19 of them the question: 7 of the 15 runs of 13.
  assert.equal(score, 0.4667);
  assert.equal(
    reason,
    'share of runs of 13 words that other datasets have 0.4667 is above max 0: Tests: q.jsonl, row 2',
  );
});

test('Chinese is compared by its characters', () => {
  const text = `习题集第三章。${medicine.replace('，', ' ')}请选择一项。`;
  const { dropped, matches } = judge({}, [medicine])(text);
  assert.ok(dropped);
  assert.equal(matches[0]?.text, medicine.replace('，', ' ').slice(0, -1));
  assert.ok(
    !judge({}, [medicine])('下列哪一种药物最适合用来治疗感冒？请选择一项。').dropped,
    'eleven characters are no run',
  );
});

test('shorter texts are found as a whole: in others from `shortest` words on, else only if they are the text', () => {
  const nine = 'Name the smallest planet that orbits around the sun';
  const four = 'Who painted this picture';
  const find = judge({ shortest: 8 }, [nine, four]);
  assert.deepEqual(
    [`Quiz night! ${nine}? It was easy.`, `${four}?`, `Tell me: ${four}? I do not know at all, to be honest.`].map(
      (text) => find(text).matches.map((match) => match.text),
    ),
    [[nine], [four], []],
  );
  assert.ok(!judge({ shortest: 10 }, [nine])(`Quiz night! ${nine}? It was easy.`).dropped);
});

test('a sample may be scored only, and another bound be tried on its score', () => {
  const text = `${river} ${'And so on, with many other words that nobody asks for. '.repeat(5)}`;
  const { dropped, score, matches } = judge({ max: 1 }, [river])(text);
  assert.ok(!dropped && score > 0 && score < 0.3);
  assert.equal(matches.length, 1, 'what was found is told of a kept sample, too');
  assert.ok(judge({ max: score - 0.0001 }, [river])(text).dropped);
  assert.ok(!judge({ max: score }, [river])(text).dropped);
  assert.equal(judge({}, [river])('Nothing of the kind.').score, 0);
  assert.equal(judge({}, [river])('').score, 0);
});

test('what is found twice is told twice, the longest five, each clipped', () => {
  const text = Array.from({ length: 8 }, (_, at) => `${at} ${river} `).join('so it goes, ');
  const { matches } = judge({}, [river])(text);
  assert.equal(matches.length, 5);
  assert.ok(matches.every((match) => text.slice(match.start, match.end).startsWith(match.text)));
  const long = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
  assert.equal(judge({}, [long])(long).matches[0]?.text.length, 300);
});

/** A seeded generator of words: the set is the same in every run. */
function wordsFrom(seed: number): (count: number) => string[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return (count) => Array.from({ length: count }, () => `w${Math.floor(next() ** 2 * 3000).toString(36)}`);
}

test('a labelled set: verbatim rows are found, near misses are not, and paraphrases show the limit', (t) => {
  const words = wordsFrom(7);
  const tests = Array.from({ length: 300 }, () => words(20 + (words(1)[0]?.length ?? 0)));
  const around = (row: string[]): string => [...words(30), ...row, ...words(30)].join(' ');
  const kinds = {
    // The row verbatim within a page, with other case and punctuation.
    verbatim: tests.map((row) => around(row.map((word, at) => (at % 5 === 4 ? `${word.toUpperCase()},` : word)))),
    // Every tenth word is replaced.
    edited: tests.map((row) => around(row.map((word, at) => (at % 10 === 9 ? 'changed' : word)))),
    // The halves are swapped, and every fourth word is replaced.
    paraphrased: tests.map((row) =>
      around([...row.slice(10), ...row.slice(0, 10)].map((word, at) => (at % 4 === 3 ? 'other' : word))),
    ),
    // The words of a row in another order, or a quote of eleven consecutive words.
    nearMiss: tests.map((row, at) => around(at % 2 === 0 ? row.toSorted() : row.slice(0, 11))),
    clean: tests.map(() => around([])),
  };
  const rates: Record<string, Record<string, number>> = {};
  for (const ngram of [13, 8, 5]) {
    const find = judge(
      { ngram, shortest: Math.min(8, ngram) },
      tests.map((row) => row.join(' ')),
    );
    const found = Object.entries(kinds).map(([kind, texts]): [string, number] => [
      kind,
      texts.filter((text) => find(text).dropped).length / texts.length,
    ]);
    const rate = Object.fromEntries(found);
    const right = (rate['verbatim'] ?? 0) + (rate['edited'] ?? 0) + (rate['paraphrased'] ?? 0);
    const precision = right / (right + (rate['nearMiss'] ?? 0) + (rate['clean'] ?? 0));
    rates[ngram] = { ...rate, precision, recall: right / 3 };
    const told = Object.entries(rates[ngram]).map(([name, value]) => `${name} ${value.toFixed(3)}`);
    t.diagnostic(`runs of ${ngram} words: ${told.join(', ')}`);
  }
  assert.deepEqual([rates[13]?.['verbatim'], rates[13]?.['nearMiss'], rates[13]?.['clean']], [1, 0, 0]);
  assert.equal(rates[13]?.['precision'], 1);
  assert.deepEqual([rates[8]?.['verbatim'], rates[8]?.['edited'], rates[8]?.['clean']], [1, 1, 0]);
  assert.ok((rates[8]?.['nearMiss'] ?? 0) <= 0.5, 'a quote of eleven words has runs of eight');
  assert.equal(rates[5]?.['clean'], 0);
});
