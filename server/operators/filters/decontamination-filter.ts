import { Type } from 'typebox';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { datasetReferences } from '../dataset-references.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import type { Match, ReferenceIndex, ReferencePlace } from '../references.ts';
import { createPlainWordFinder, eachWordRun, type PlainWords } from '../plain-words.ts';

/** Maximum number of matches recorded per sample (the longest), and of characters per match. */
const mostMatches = 5;
const longestMatch = 300;

/** High word of the keys that record the lengths of texts shorter than a run; the low word is the length. */
const lengthMark = 0x5eed_1e46;

const reasons = defineSentences('decontamination-filter', {
  CONTAMINATED: 'share of runs of {ngram} words that other datasets have {share} is above max {max}: {place}',
});

export const decontaminationFilter = defineOperator({
  id: 'decontamination-filter',
  version: '1.0.0',
  name: 'Remove test set contamination',
  description:
    'Drops samples that share text with the chosen datasets, such as the test sets a model will be evaluated on: the share of word n-grams that occur there exceeds `max` (by default any 13-gram, as for GPT-3: Brown et al., 2020, appendix C; PaLM, Chowdhery et al., 2022, uses 8-grams). That share is the score, so another `max` can be tried on a finished run; with 1 all samples are kept and only scored. Matches are listed in the ledger with their place in the other dataset. Letter case, punctuation and white space are ignored; each Chinese character is a word. A reference text shorter than `ngram` is matched as a whole if it has at least `shortest` words; a shorter one only if the sample is the same text. Paraphrases are not found; for near-duplicates use `minhash-deduplicator` with `references`.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'deduplication'],
  params: Type.Object({
    references: datasetReferences({
      title: 'Test sets',
      description:
        'Datasets whose texts must not occur in the samples. Their texts are compared as stored, without the preceding steps',
    }),
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 13,
      minimum: 1,
      maximum: 50,
      description: 'Smaller n-grams find more matches, including common phrases',
    }),
    shortest: Type.Integer({
      title: 'Minimum words of a reference text',
      default: 8,
      minimum: 1,
      maximum: 50,
      description:
        'Reference texts shorter than an n-gram are matched within samples if they have at least this many words',
    }),
    max: Type.Number({
      title: 'Maximum share of shared n-grams',
      default: 0,
      minimum: 0,
      maximum: 1,
      description:
        'Samples with a larger share of n-grams that occur in the test sets are dropped; 0 to 1, and 1 keeps all samples',
    }),
  }),
  thresholds: [{ param: 'max', direction: 'max' }],
  check: ({ ngram, shortest }) =>
    shortest > ngram
      ? {
          field: 'shortest',
          problem: parameterProblems.MUST_NOT_BE_GREATER.reason({ other: 'ngram', values: `${shortest} > ${ngram}` }),
        }
      : undefined,
  examples: [
    {
      title: 'A question of a test set',
      params: {},
      references: [
        'When was the oldest bridge of the city built, and who paid for it?',
        'Which river flows through the middle of the city and under its oldest bridge?',
      ],
      input:
        'Quiz night! WHICH RIVER flows through the middle of the city, and under its oldest bridge? Write the answer below.',
      output: {
        drop: 'share of runs of 13 words that other datasets have 0.25 is above max 0: Questions: questions.jsonl, row 2',
      },
    },
    {
      title: 'Without datasets, all are kept',
      params: {},
      input: 'Which river flows through the middle of the city and under its oldest bridge?',
      output: 'Which river flows through the middle of the city and under its oldest bridge?',
    },
  ],
  chinese: {
    name: '去除测试集内容',
    description:
      '剔除与所选数据集（如将用来评测模型的测试集）有共同文字的样本：`ngram` 个词的词串中，超过 `max` 的也出现在那里（13 个词、出现任何一个即剔除，如 GPT-3：Brown 等，2020，附录 C；PaLM，Chowdhery 等，2022，用 8 个词）。分数就是这个占比，因此可在完成的运行上试用其他 `max`；取 1 则全部保留，只记分数。找到的文字连同它在其他数据集中的位置记入台账。大小写、标点和空白不算作不同；每个汉字算一个词。其他数据集中比 `ngram` 短的文本，达到 `shortest` 个词的作为整体查找；更短的只在样本与之相同时算。找不到改写；近似重复请用带 `references` 的 `minhash-deduplicator`。',
    params: {
      references: {
        title: '测试集',
        help: '样本中不得出现其文本的数据集；按原样比较，不经过前面的步骤',
      },
      ngram: { title: '词串的词数', help: '一个词串的词数；越少找到的越多，也越多是各种文本共有的' },
      shortest: { title: '文本的最少词数', help: '其他数据集中比词串短的文本，达到这么多词才在样本中查找' },
      max: { title: '词串的最大占比', help: '保留的其他数据集也有的词串的最大占比，0 到 1；取 1 则保留全部样本' },
    },
    examples: {
      'A question of a test set': '测试集中的一个问题',
      'Without datasets, all are kept': '不选数据集则全部保留',
    },
    reasons: { CONTAMINATED: '其他数据集也有的 {ngram} 词词串占 {share}，超过上限 {max}：{place}' },
  },
  refer: ({ ngram }) => {
    const plainWordsOf = createPlainWordFinder();
    return ({ text }, take) => {
      const words = plainWordsOf(text);
      if (words.count === 0) return;
      eachWordRun(words, Math.min(ngram, words.count), take);
      if (words.count < ngram) take(words.count, lengthMark);
    };
  },
  each: ({ ngram, shortest, max }, { references, texts }) => {
    const lengths = listLengths(references, shortest, ngram);
    return (sample) => {
      const words = texts.of(sample.text).plainWords;
      const size = Math.min(ngram, words.count);
      const { spans, share } = findSpans(words, { size, lengths, references });
      const matches = spans.map((span) => matchOf(sample.text, words, span, references));
      const found = matches.length === 0 ? {} : { matches };
      if (share <= max) return { ...keep(sample, share), ...found };
      const [longest] = spans.toSorted(byLength);
      const place = longest === undefined ? '' : wordsOf(references.placeOf(longest.sample));
      return { ...drop(reasons.CONTAMINATED.reason({ ngram, share, max, place }), share), ...found };
    };
  },
});

/** Words `[from, to)` of a text that occur in a sample of another dataset. */
type Span = { from: number; to: number; sample: number };

/** The lengths, in words, of referenced texts that are shorter than a run. */
function listLengths(references: ReferenceIndex, shortest: number, ngram: number): number[] {
  const lengths: number[] = [];
  for (let length = shortest; length < ngram; length += 1) {
    if (references.find(length, lengthMark) !== -1) lengths.push(length);
  }
  return lengths;
}

/** The longest spans in text order, and the share of runs that begin with a match. */
function findSpans(
  words: PlainWords,
  { size, lengths, references }: { size: number; lengths: readonly number[]; references: ReferenceIndex },
): { spans: Span[]; share: number } {
  if (words.count === 0) return { spans: [], share: 0 };
  const runs = words.count - size + 1;
  let isFound: Uint8Array | undefined;
  const spans: Span[] = [];
  for (const length of [size, ...lengths.filter((one) => one < size)]) {
    eachWordRun(words, length, (low, high, at) => {
      const sample = references.find(low, high);
      if (sample === -1) return;
      isFound ??= new Uint8Array(runs);
      isFound[Math.min(at, runs - 1)] = 1;
      const last = spans.at(-1);
      if (last !== undefined && last.from <= at && at <= last.to) last.to = Math.max(last.to, at + length);
      else spans.push({ from: at, to: at + length, sample });
    });
  }
  if (isFound === undefined) return { spans, share: 0 };
  const found = isFound.reduce((sum, one) => sum + one, 0);
  // Rounded up, so that any match gives a share above 0.
  const share = Math.ceil((found / runs) * 10_000) / 10_000;
  return { spans: merged(spans).toSorted(byLength).slice(0, mostMatches).toSorted(byPlace), share };
}

const byLength = (one: Span, other: Span): number => other.to - other.from - (one.to - one.from);
const byPlace = (one: Span, other: Span): number => one.from - other.from;

/** Merges overlapping spans; the sample of the longer one is kept. */
function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted(byPlace)) {
    const last = all.at(-1);
    if (last === undefined || span.from > last.to) {
      all.push({ ...span });
      continue;
    }
    if (byLength(last, span) > 0) last.sample = span.sample;
    last.to = Math.max(last.to, span.to);
  }
  return all;
}

function matchOf(text: string, { starts, ends }: PlainWords, span: Span, references: ReferenceIndex): Match {
  const start = starts[span.from] ?? 0;
  const end = ends[span.to - 1] ?? start;
  const shown = text.slice(start, Math.min(end, start + longestMatch)).toWellFormed();
  return { ...references.placeOf(span.sample), start, end, text: shown };
}

/** A place as text: `MMLU, version 2: test.jsonl, row 12`. */
function wordsOf({ dataset, path, row }: ReferencePlace): string {
  return `${dataset}: ${path}${row === null ? '' : `, row ${row}`}`;
}
