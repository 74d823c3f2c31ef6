import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageGrayscaler = defineImageMapper({
  id: 'image-grayscaler',
  version: '1.0.0',
  name: 'Convert images to greyscale',
  description:
    'Removes the colours of images and keeps their brightness. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({}),
  examples: [
    { title: 'Colours are removed', params: {}, input: 'PNG 64×48', output: 'PNG 64×48, grey' },
    { title: 'Already greyscale', params: {}, input: 'PNG 64×48, grey', output: 'PNG 64×48, grey' },
  ],
  chinese: {
    name: '图片变灰度',
    description: '去掉图片的颜色，保留明暗。APNG 动图会失败：只能读取第一帧。',
    params: {},
    examples: {
      'Colours are removed': '去掉颜色',
      'Already greyscale': '已经是灰度',
    },
  },
  edit: () => (facts) => (facts.isGrey ? undefined : { facts: { isGrey: true }, apply: (image) => image.grayscale() }),
});
