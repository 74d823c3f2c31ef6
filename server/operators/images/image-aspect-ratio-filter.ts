import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineImageFilter } from './image-operator.ts';
import { openPicture } from './pictures.ts';

const reasons = defineSentences('image-aspect-ratio-filter', {
  RATIO_BELOW_MIN: 'the aspect ratio {ratio} is below min {min}',
  RATIO_ABOVE_MAX: 'the aspect ratio {ratio} is above max {max}',
});

export const imageAspectRatioFilter = defineImageFilter({
  id: 'image-aspect-ratio-filter',
  version: '1.0.0',
  name: 'Filter images by aspect ratio',
  description:
    'Drops images whose longer side is less than `min` or more than `max` times the shorter side: banners, strips or square images. Only the file header is read.',
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum ratio',
      default: 1,
      minimum: 1,
      maximum: 1000,
      description: 'Images with a lower ratio of the longer to the shorter side are dropped',
    }),
    max: Type.Number({
      title: 'Maximum ratio',
      default: 3,
      minimum: 1,
      maximum: 1000,
      description: 'Images with a higher ratio of the longer to the shorter side are dropped',
    }),
  }),
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  examples: [
    { title: 'A photo', params: {}, input: 'PNG 64×48', output: 'PNG 64×48' },
    { title: 'A banner', params: {}, input: 'PNG 400×40', output: { drop: 'the aspect ratio 10 is above max 3' } },
    {
      title: 'A square',
      params: { min: 1.2 },
      input: 'PNG 64×64',
      output: { drop: 'the aspect ratio 1 is below min 1.2' },
    },
  ],
  chinese: {
    name: '按宽高比过滤图片',
    description: '剔除长边超过短边 `max` 倍或不足 `min` 倍的图片：横幅、长条，或所有方图。只读取文件头。',
    params: {
      min: { title: '最低比例', help: '保留图片的最低长短边之比' },
      max: { title: '最高比例', help: '保留图片的最高长短边之比' },
    },
    examples: {
      'A photo': '照片',
      'A banner': '横幅',
      'A square': '方图',
    },
    reasons: {
      RATIO_BELOW_MIN: '宽高比 {ratio} 低于下限 {min}',
      RATIO_ABOVE_MAX: '宽高比 {ratio} 高于上限 {max}',
    },
  },
  judge:
    ({ min, max }) =>
    async (media) => {
      const { width, height } = (await openPicture(media)).facts;
      const ratio = Math.round((Math.max(width, height) / Math.min(width, height)) * 1000) / 1000;
      if (ratio < min) return { score: ratio, reason: reasons.RATIO_BELOW_MIN.reason({ ratio, min }) };
      return { score: ratio, reason: ratio > max ? reasons.RATIO_ABOVE_MAX.reason({ ratio, max }) : undefined };
    },
});
