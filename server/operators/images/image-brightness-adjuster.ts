import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageBrightnessAdjuster = defineImageMapper({
  id: 'image-brightness-adjuster',
  version: '1.0.0',
  name: 'Adjust the brightness of images',
  description:
    'Makes images brighter or darker by a factor; 16-bit images become 8-bit. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({
    factor: Type.Number({
      title: 'Factor',
      default: 1.2,
      minimum: 0.1,
      maximum: 10,
      description: 'Above 1: brighter, below 1: darker',
    }),
  }),
  examples: [
    { title: 'Brighter', params: { factor: 2 }, input: 'PNG 64×48, plain 60', output: 'PNG 64×48, brightness 120' },
    { title: 'Darker', params: { factor: 0.5 }, input: 'PNG 64×48, plain 60', output: 'PNG 64×48, brightness 30' },
  ],
  chinese: {
    name: '调整图片亮度',
    description: '按倍数使图片变亮或变暗；16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。',
    params: {
      factor: { title: '倍数', help: '大于 1 变亮，小于 1 变暗' },
    },
    examples: {
      Brighter: '变亮',
      Darker: '变暗',
    },
  },
  edit:
    ({ factor }) =>
    () =>
      factor === 1 ? undefined : { facts: { depth: 8 }, apply: (image) => image.linear(factor, 0) },
});
