import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageGrayscaler = defineImageMapper({
  id: 'image-grayscaler',
  version: '1.0.0',
  name: 'Turn images grey',
  description:
    'Removes the colours of images and keeps how bright they are. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({}),
  examples: [
    { title: 'Colours go', params: {}, input: 'PNG 64×48', output: 'PNG 64×48, grey' },
    { title: 'Grey already', params: {}, input: 'PNG 64×48, grey', output: 'PNG 64×48, grey' },
  ],
  chinese: {
    name: '图片变灰度',
    description: '去掉图片的颜色，保留明暗。APNG 动图会失败：只能读取第一帧。',
    params: {},
    examples: {
      'Colours go': '去掉颜色',
      'Grey already': '已经是灰度',
    },
  },
  edit: () => (facts) => (facts.isGrey ? undefined : { facts: { isGrey: true }, apply: (image) => image.grayscale() }),
});
