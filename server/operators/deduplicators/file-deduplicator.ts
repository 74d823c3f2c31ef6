import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { hashBytes } from '../../kernel/text-hash.ts';
import { defineSetOperator } from '../operator.ts';
import { duplicatesBy } from './duplicates.ts';

const words = 4;

const reasons = defineSentences('file-deduplicator', { FILE_DUPLICATE_OF: 'the same bytes as {sample}' });

const search = {
  keys: 1,
  words,
  similarity: (one: Uint32Array, other: Uint32Array): number => (one.every((word, at) => word === other[at]) ? 1 : 0),
  threshold: 1,
  reason: (_similarity: number, sample: string) => reasons.FILE_DUPLICATE_OF.reason({ sample }),
};

export const fileDeduplicator = defineSetOperator({
  id: 'file-deduplicator',
  version: '1.0.0',
  name: 'Remove duplicate files',
  description:
    'Keeps the first of all image, audio or video files with the same bytes across the whole input and drops the others. Files are compared by 128 bits of their SHA-256.',
  modality: 'ANY',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication'],
  params: Type.Object({}),
  reads: ['media'],
  setExamples: [
    {
      title: 'The first one is kept',
      params: {},
      inputs: ['PNG 64×48', 'PNG 32×32', 'PNG 64×48'],
      outputs: ['PNG 64×48', 'PNG 32×32', { drop: 'the same bytes as {sample 1}' }],
    },
  ],
  keepsFirstOfEqual: true,
  chinese: {
    name: '去除重复文件',
    description: '在全部输入中，字节相同的图片、音频或视频文件只保留第一个，其余剔除。比较的是文件 SHA-256 的 128 位。',
    params: {},
    examples: { 'The first one is kept': '保留第一个' },
    reasons: { FILE_DUPLICATE_OF: '与 {sample} 的字节相同' },
  },
  all: () => ({
    ...duplicatesBy(search),
    sign({ media }, keys, target) {
      hashBytes(
        media.map(({ bytes }) => bytes),
        target,
      );
      keys[0] = target[0] ?? 0;
    },
  }),
});
