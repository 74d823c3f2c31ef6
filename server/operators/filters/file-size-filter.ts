import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('file-size-filter', {
  FILE_BELOW_MIN: 'the file of {bytes} bytes is below min {min}',
  FILE_ABOVE_MAX: 'the file of {bytes} bytes is above max {max}',
});

export const fileSizeFilter = defineOperator({
  id: 'file-size-filter',
  version: '1.0.0',
  name: 'Filter files by size',
  description: 'Drops image, audio and video files smaller than `min` or larger than `max` bytes.',
  modality: 'ANY',
  kind: 'FILTER',
  categories: ['images', 'length'],
  params: Type.Object({
    min: Type.Integer({
      title: 'Minimum file size',
      default: 1,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Smaller files are dropped; in bytes',
    }),
    max: Type.Integer({
      title: 'Maximum file size',
      default: 67_108_864,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Larger files are dropped; in bytes',
    }),
  }),
  reads: ['media'],
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  examples: [
    { title: 'Within the bounds', params: {}, input: 'PNG 64×48', output: 'PNG 64×48' },
    {
      title: 'Empty',
      params: {},
      input: 'PNG 64×48, empty',
      output: { drop: 'the file of 0 bytes is below min 1' },
    },
  ],
  chinese: {
    name: '按文件大小过滤',
    description: '剔除字节数少于 `min` 或多于 `max` 的图片、音频和视频文件。',
    params: {
      min: { title: '最小文件', help: '保留文件的最少字节数' },
      max: { title: '最大文件', help: '保留文件的最多字节数' },
    },
    examples: { 'Within the bounds': '在范围内', Empty: '空文件' },
    reasons: {
      FILE_BELOW_MIN: '文件 {bytes} 字节，低于下限 {min}',
      FILE_ABOVE_MAX: '文件 {bytes} 字节，高于上限 {max}',
    },
  },
  each:
    ({ min, max }) =>
    (sample) => {
      const bytes = sample.media.reduce((sum, { bytes: own }) => sum + own.length, 0);
      if (bytes < min) return drop(reasons.FILE_BELOW_MIN.reason({ bytes, min }), bytes);
      return bytes > max ? drop(reasons.FILE_ABOVE_MAX.reason({ bytes, max }), bytes) : keep(sample, bytes);
    },
});
