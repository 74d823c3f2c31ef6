import { Type } from 'typebox';
import { countTokens } from '../../chunking/measure.ts';
import { defineSetOperator } from '../operator.ts';
import { chinesePresence, holdsOther, noteReplaced } from './column-presence.ts';
import {
  checkWeights,
  chineseSeed,
  chineseShareReasons,
  keepShares,
  seedParam,
  weigh,
  weightsIn,
  type ShareClass,
} from './shares.ts';

/** The class of files below none of the named prefixes. */
const others = '*';
const example = 'web=70, books=30';

export const mixSelector = defineSetOperator({
  id: 'mix-selector',
  version: '1.2.0',
  name: 'Mix sources by weight',
  description:
    'Mixes sources: keeps as much below each prefix (a folder or another source of the task) as its weight allows across the whole input and drops the rest. Weights are percentages, scaled to what all prefixes can fill, or maximum numbers, counted in samples or tokens (o200k_base). The choice depends only on `seed` and the positions of the samples in the input. `*` stands for files below none of the prefixes; without a weight, they are dropped. Without any weights, all samples are kept.',
  modality: 'TEXT',
  kind: 'SELECTOR',
  categories: ['selection'],
  reads: ['text', 'columns'],
  writes: ['columns'],
  columnParam: 'column',
  params: Type.Object({
    weights: Type.String({
      title: 'Weights',
      default: '',
      maxLength: 10_000,
      description: `Prefixes with their weights, such as ${example}, *=5`,
    }),
    amount: Type.Union([Type.Literal('PERCENT'), Type.Literal('COUNT')], {
      title: 'Meaning of weights',
      default: 'PERCENT',
      description: 'PERCENT: shares of the result. COUNT: maximum numbers of samples or tokens',
    }),
    unit: Type.Union([Type.Literal('SAMPLES'), Type.Literal('TOKENS')], {
      title: 'Unit',
      default: 'SAMPLES',
      description: 'Count SAMPLES, or TOKENS of their texts',
    }),
    seed: seedParam,
    column: Type.String({
      title: 'Column for the source',
      default: '',
      maxLength: 200,
      description:
        'Column to write the prefix of each kept row to; empty: none. The log shows how many samples had another value there',
    }),
  }),
  check: ({ weights }) => checkWeights(weights, 'weights', example),
  setExamples: [
    {
      title: 'Two samples in total',
      params: { weights: '*=2', amount: 'COUNT' },
      inputs: ['one', '二', 'three'],
      outputs: ['one', '二', { drop: 'over the share of "*": 2 of 3 samples stay' }],
    },
    {
      title: 'Tokens',
      params: { weights: '*=3', amount: 'COUNT', unit: 'TOKENS' },
      inputs: ['one two three four', 'one two'],
      outputs: [{ drop: 'over the share of "*": 2 of 6 tokens stay' }, 'one two'],
    },
    {
      title: 'Rows record their source',
      params: { weights: '*=1', amount: 'COUNT', column: 'from' },
      inputs: ['{"text":"one"}', '{"text":"two"}'],
      outputs: ['{"text":"one","from":"*"}', { drop: 'over the share of "*": 1 of 2 samples stay' }],
    },
    { title: 'Without weights, all are kept', params: {}, inputs: ['one', 'two'], outputs: ['one', 'two'] },
  ],
  chinese: {
    name: '按权重混合来源',
    description:
      '在全部输入中，按权重保留各前缀（文件夹，或任务的另一个来源）之下的内容，剔除其余的：按百分比，以全部能填满为限；或至多一定数量；以样本或词元（o200k_base）计。抽到哪些只取决于 `seed` 和样本在输入中的位置。`*` 表示不在任何前缀之下的文件；没有给出其权重时剔除。不填权重时全部保留。',
    params: {
      weights: { title: '权重', help: `前缀及其权重，如 ${example}, *=5` },
      amount: { title: '权重表示', help: 'PERCENT：结果中的占比。COUNT：样本或词元的数量' },
      unit: { title: '计数单位', help: 'SAMPLES：样本，或 TOKENS：文本的词元' },
      seed: chineseSeed,
      column: { title: '来源列', help: '在保留的每行中写入其前缀的列；不填则不写。日志说明有多少样本在该列原有其他值' },
    },
    examples: {
      'Two samples in total': '全部中留两个',
      Tokens: '词元',
      'Rows record their source': '行中注明来源',
      'Without weights, all are kept': '不填权重则全部保留',
    },
    reasons: { ...chineseShareReasons, ...chinesePresence },
  },
  all: ({ weights: list, amount, unit, seed, column }) => {
    const weights = weightsIn(list);
    const isTokens = unit === 'TOKENS';
    /** Longer prefixes first: the closest folder decides. */
    const prefixes = [...weights.keys()].filter((name) => name !== others).toSorted((a, b) => b.length - a.length);
    const names = [...prefixes, others];
    const nameOf = (number: number): string => names[number] ?? others;
    const folders = prefixes.map((prefix) => prefix.replace(/\/*$/, '/'));
    return {
      keys: column === '' ? 2 : 3,
      words: 0,
      sign(sample, keys, _words, path) {
        const number = folders.findIndex((folder) => path.startsWith(folder));
        keys[0] = number === -1 ? folders.length : number;
        if (isTokens) keys[1] = countTokens(sample.text);
        // Columns are only read if one is written: reading them requires parsing the whole row.
        if (column !== '') keys[2] = holdsOther(sample.columns, column, (found) => found === nameOf(keys[0] ?? 0));
      },
      reduce(signatures, drop, note, write) {
        const classOf = signatures.column(0);
        if (column !== '') noteReplaced(signatures.column(2), column, note);
        const keep = (index: number): void => {
          if (column !== '') write({ index, columns: { [column]: nameOf(classOf[index] ?? 0) } });
        };
        if (weights.size === 0) {
          for (const index of classOf.keys()) keep(index);
          return;
        }
        const sizeOf = isTokens ? signatures.column(1) : undefined;
        const sizes = new Float64Array(names.length);
        for (const [index, number] of classOf.entries()) sizes[number] = (sizes[number] ?? 0) + (sizeOf?.[index] ?? 1);
        const sizeOfName = new Map(names.map((name, number) => [name, sizes[number] ?? 0]));
        const wanted = amount === 'COUNT' ? weights : weigh(sizeOfName, weights, { isTokens, note });
        const classes = names.map((name): ShareClass => {
          const isEmpty = weights.has(name) && !wanted.has(name);
          return { name, size: sizeOfName.get(name) ?? 0, wanted: isEmpty ? 0 : wanted.get(name) };
        });
        keepShares({ classOf, sizeOf, classes, seed, isTokens }, { drop, keep, note });
      },
    };
  },
});
