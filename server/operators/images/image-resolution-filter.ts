import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineImageFilter } from './image-operator.ts';
import { openPicture } from './pictures.ts';

const reasons = defineSentences('image-resolution-filter', {
  SIDE_BELOW_MIN: 'the shorter side of {side} pixels is below min {min}',
  SIDE_ABOVE_MAX: 'the shorter side of {side} pixels is above max {max}',
});

export const imageResolutionFilter = defineImageFilter({
  id: 'image-resolution-filter',
  version: '1.0.0',
  name: 'Filter images by resolution',
  description:
    'Drops images whose shorter side is smaller than `min` or larger than `max` pixels. Only the file header is read.',
  params: Type.Object({
    min: Type.Integer({
      title: 'Minimum shorter side',
      default: 256,
      minimum: 1,
      maximum: 100000,
      description: 'Images with a smaller shorter side are dropped; in pixels',
    }),
    max: Type.Integer({
      title: 'Maximum shorter side',
      default: 100000,
      minimum: 1,
      maximum: 100000,
      description: 'Images with a larger shorter side are dropped; in pixels',
    }),
  }),
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  examples: [
    { title: 'Large enough', params: { min: 48 }, input: 'PNG 64×48', output: 'PNG 64×48' },
    {
      title: 'Too small',
      params: { min: 100 },
      input: 'PNG 64×48',
      output: { drop: 'the shorter side of 48 pixels is below min 100' },
    },
    {
      title: 'Too large',
      params: { min: 1, max: 40 },
      input: 'PNG 64×48',
      output: { drop: 'the shorter side of 48 pixels is above max 40' },
    },
  ],
  chinese: {
    name: '按分辨率过滤图片',
    description: '剔除短边像素少于 `min` 或多于 `max` 的图片。只读取文件头。',
    params: {
      min: { title: '最少像素', help: '保留图片短边的最少像素' },
      max: { title: '最多像素', help: '保留图片短边的最多像素' },
    },
    examples: {
      'Large enough': '足够大',
      'Too small': '过小',
      'Too large': '过大',
    },
    reasons: {
      SIDE_BELOW_MIN: '短边 {side} 像素低于下限 {min}',
      SIDE_ABOVE_MAX: '短边 {side} 像素高于上限 {max}',
    },
  },
  judge:
    ({ min, max }) =>
    async (media) => {
      const { width, height } = (await openPicture(media)).facts;
      const side = Math.min(width, height);
      if (side < min) return { score: side, reason: reasons.SIDE_BELOW_MIN.reason({ side, min }) };
      return { score: side, reason: side > max ? reasons.SIDE_ABOVE_MAX.reason({ side, max }) : undefined };
    },
});
