import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageContrastAdjuster = defineImageMapper({
  id: 'image-contrast-adjuster',
  version: '1.0.0',
  name: 'Adjust the contrast of images',
  description:
    'Increases or reduces contrast by moving pixels away from or towards middle grey by a factor; 16-bit images become 8-bit. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({
    factor: Type.Number({
      title: 'Factor',
      default: 1.2,
      minimum: 0,
      maximum: 10,
      description: 'Above 1: more contrast, below 1: less',
    }),
  }),
  examples: [
    {
      title: 'More contrast',
      params: { factor: 2 },
      input: 'PNG 64×48, plain 100',
      output: 'PNG 64×48, brightness 72',
    },
    {
      title: 'Less contrast',
      params: { factor: 0.5 },
      input: 'PNG 64×48, plain 28',
      output: 'PNG 64×48, brightness 78',
    },
  ],
  chinese: {
    name: '调整图片对比度',
    description: '按倍数使像素远离或接近中灰；16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。',
    params: {
      factor: { title: '倍数', help: '大于 1 对比更强，小于 1 更弱' },
    },
    examples: {
      'More contrast': '更强',
      'Less contrast': '更弱',
    },
  },
  edit:
    ({ factor }) =>
    () =>
      factor === 1 ? undefined : { facts: { depth: 8 }, apply: (image) => image.linear(factor, 128 - 128 * factor) },
});
