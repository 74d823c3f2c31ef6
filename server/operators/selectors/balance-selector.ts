import { Type } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { hashText } from '../../kernel/text-hash.ts';
import { asText } from '../fields/columns.ts';
import { defineSetOperator, type Sample } from '../operator.ts';
import type { Signatures } from '../whole-set.ts';
import { chinesePresence, lacks, noteLacking } from './column-presence.ts';
import {
  checkWeights,
  chineseSeed,
  chineseShareReasons,
  keepShares,
  seedParam,
  shareSentences,
  weigh,
  weightsIn,
  type ShareClass,
} from './shares.ts';

/**
 * Keys: two words of the class's hash, and whether the sample lacks the column. The words hold the name: its length,
 * and up to 60 of its bytes.
 */
const keys = 3;
const nameBytes = 60;
const maxClasses = 100_000;

export const balanceSelector = defineSetOperator({
  id: 'balance-selector',
  version: '1.1.0',
  name: 'Balance classes',
  description:
    'Balances classes: keeps a number of samples of each value of a column across the whole input and drops the others. Each class gets as many samples as the smallest class, a fixed number, or a weighted share. The choice depends only on `seed` and the positions of the samples in the input. Values are compared as texts: 1 and "1", true and "true" are one class. A missing column counts as null, and the log shows how many samples lack it; if all do, the run fails.',
  modality: 'TEXT',
  kind: 'SELECTOR',
  categories: ['selection', 'fields'],
  reads: ['columns'],
  params: Type.Object({
    column: Type.String({
      title: 'Column',
      default: 'label',
      minLength: 1,
      maxLength: 200,
      description: 'Column whose values are the classes',
    }),
    to: Type.Union([Type.Literal('SMALLEST'), Type.Literal('COUNT'), Type.Literal('WEIGHTS')], {
      title: 'Class sizes',
      default: 'SMALLEST',
      description:
        'SMALLEST: as many of each class as the smallest has. COUNT: a fixed number of each. WEIGHTS: weighted shares, as large as every class can fill',
    }),
    count: Type.Integer({
      title: 'Samples per class',
      default: 1000,
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'For COUNT; smaller classes are kept whole, and the log lists them',
    }),
    weights: Type.String({
      title: 'Weights',
      default: '',
      maxLength: 10_000,
      description:
        'For WEIGHTS, such as en=2, zh=1; quote names that contain a comma, such as "red, blue"=2. Classes without a weight are dropped',
    }),
    seed: seedParam,
  }),
  check: ({ to, weights }) =>
    to === 'WEIGHTS' && weightsIn(weights).size === 0
      ? { field: 'weights', problem: shareSentences.NO_WEIGHTS.reason({ example: 'en=2, zh=1' }) }
      : checkWeights(weights, 'weights', 'en=2, zh=1'),
  setExamples: [
    {
      title: 'As many as the smallest class',
      params: { column: 'lang', seed: 1 },
      inputs: ['{"lang":"en","n":1}', '{"lang":"en","n":2}', '{"lang":"中文","n":3}'],
      outputs: [
        '{"lang":"en","n":1}',
        { drop: 'over the share of "en": 1 of 2 samples stay' },
        '{"lang":"中文","n":3}',
      ],
    },
    {
      title: 'Weighted shares',
      params: { column: 'lang', to: 'WEIGHTS', weights: 'en=1, zh=2' },
      inputs: ['{"lang":"en"}', '{"lang":"zh"}', '{"lang":"zh"}', '{"lang":"fr"}'],
      outputs: ['{"lang":"en"}', '{"lang":"zh"}', '{"lang":"zh"}', { drop: 'no share is given for "fr"' }],
    },
  ],
  chinese: {
    name: '平衡类别',
    description:
      '在全部输入中，按列的每个值保留一定数量的样本，使类别平衡，剔除其余的：与最小的类别一样多、每类一定数量，或按权重分配份额。抽到哪些只取决于 `seed` 和样本在输入中的位置。值按文本区分：1 和 "1"、true 和 "true" 是同一类。缺少的列视为 null，日志说明有多少样本缺少；如果全部缺少，运行失败。',
    params: {
      column: { title: '列', help: '其值即类别' },
      to: {
        title: '数量',
        help: 'SMALLEST：每类与最小的类别一样多。COUNT：每类一定数量。WEIGHTS：按权重分配份额，以所有类别都能填满为限',
      },
      count: { title: '每类样本数', help: '用于 COUNT；较小的类别全部保留，日志会说明' },
      weights: {
        title: '权重',
        help: '用于 WEIGHTS，如 en=2, zh=1；含逗号的名称用引号括起，如 "red, blue"=2。没有权重的类别剔除',
      },
      seed: chineseSeed,
    },
    examples: { 'As many as the smallest class': '与最小的类别一样多', 'Weighted shares': '按权重分配份额' },
    reasons: { ...chineseShareReasons, ...chinesePresence },
  },
  all: ({ column, to, count, weights: list, seed }) => {
    const weights = weightsIn(list);
    return {
      keys,
      words: 1 + nameBytes / 4,
      sign({ columns }, hashes, words) {
        const name = classIn(columns, column);
        hashText(name, hashes.subarray(0, 2));
        hashes[2] = lacks(columns, column);
        const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
        words[0] = new TextEncoder().encodeInto(name, bytes.subarray(4)).written;
      },
      reduce(signatures, drop, note) {
        noteLacking(signatures.column(2), column, note);
        const { classOf, classes: found } = classesIn(signatures, column);
        const sizes = new Map(found.map(({ name, size }) => [name, size]));
        const smallest = found.reduce((least, { size }) => Math.min(least, size), Infinity);
        const weighed = to === 'WEIGHTS' ? weigh(sizes, weights, { isTokens: false, note }) : undefined;
        const classes = found.map(({ name, size }): ShareClass => {
          const wanted = weighed === undefined ? (to === 'COUNT' ? count : smallest) : weighed.get(name);
          return { name, size, wanted };
        });
        keepShares({ classOf, sizeOf: undefined, classes, seed, isTokens: false }, { drop, note });
      },
    };
  },
});

function classIn(columns: Sample['columns'], column: string): string {
  const value = Object.hasOwn(columns, column) ? columns[column] : null;
  return value === null ? 'null' : asText(value);
}

/** The classes in order of first occurrence. */
function classesIn(
  signatures: Signatures,
  column: string,
): { classOf: Uint32Array; classes: { name: string; size: number }[] } {
  const [high, low] = [signatures.column(0), signatures.column(1)];
  const numbers = new Map<number, number>();
  const classes: { name: string; size: number }[] = [];
  const classOf = new Uint32Array(signatures.count);
  const words = new Uint32Array(1 + nameBytes / 4);
  for (let index = 0; index < signatures.count; index += 1) {
    const key = ((high[index] ?? 0) & 0x1f_ffff) * 2 ** 32 + (low[index] ?? 0);
    let number = numbers.get(key);
    if (number === undefined) {
      number = classes.length;
      if (number === maxClasses)
        throw new ReasonedError(
          shareSentences.TOO_MANY_CLASSES.reason({ column: JSON.stringify(column), limit: maxClasses }),
        );
      numbers.set(key, number);
      signatures.read(index, words);
      classes.push({ name: Buffer.from(words.buffer, 4, words[0] ?? 0).toString('utf8'), size: 0 });
    }
    classOf[index] = number;
    const found = classes[number];
    if (found !== undefined) found.size += 1;
  }
  return { classOf, classes };
}
