import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageSaturationAdjuster = defineImageMapper({
  id: 'image-saturation-adjuster',
  version: '1.0.0',
  name: 'Adjust the saturation of images',
  description:
    'Makes colours stronger or paler by a factor; greyscale images are unchanged, and 16-bit images become 8-bit. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({
    factor: Type.Number({
      title: 'Factor',
      default: 1.2,
      minimum: 0,
      maximum: 10,
      description: 'Above 1: stronger, below 1: paler',
    }),
  }),
  examples: [
    { title: 'Paler', params: { factor: 0.5 }, input: 'PNG 64×48', output: 'PNG 64×48' },
    { title: 'Grey is unchanged', params: { factor: 2 }, input: 'PNG 64×48, grey', output: 'PNG 64×48, grey' },
  ],
  chinese: {
    name: '调整图片饱和度',
    description: '按倍数使颜色更浓或更淡；灰度图片不变，16 位图片变为 8 位。APNG 动图会失败：只能读取第一帧。',
    params: {
      factor: { title: '倍数', help: '大于 1 更浓，小于 1 更淡' },
    },
    examples: {
      Paler: '更淡',
      'Grey is unchanged': '灰度不变',
    },
  },
  edit:
    ({ factor }) =>
    (facts) =>
      factor === 1 || facts.isGrey
        ? undefined
        : { facts: { depth: 8 }, apply: (image) => image.modulate({ saturation: factor }) },
});
