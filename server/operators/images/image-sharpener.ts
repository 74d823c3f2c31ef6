import { Type } from 'typebox';
import { refuseFrames } from './frames.ts';
import { defineImageMapper } from './image-operator.ts';

export const imageSharpener = defineImageMapper({
  id: 'image-sharpener',
  version: '1.0.0',
  name: 'Sharpen images',
  description: 'Sharpens edges (unsharp mask). Animations fail, because frames would bleed into each other.',
  params: Type.Object({
    radius: Type.Number({
      title: 'Radius',
      default: 1,
      minimum: 0.5,
      maximum: 10,
      description: 'Width of the sharpened edges in pixels',
    }),
  }),
  examples: [{ title: 'Edges', params: { radius: 1 }, input: 'PNG 64×48, blurred 2', output: 'PNG 64×48' }],
  chinese: {
    name: '锐化图片',
    description: '增强边缘（USM 锐化）。动图会失败，因为各帧会相互影响。',
    params: {
      radius: { title: '半径', help: '边缘的宽度，像素' },
    },
    examples: {
      Edges: '边缘',
    },
  },
  edit:
    ({ radius }) =>
    (facts) => {
      refuseFrames(facts);
      return { facts: { depth: 8 }, apply: (image) => image.sharpen({ sigma: radius }) };
    },
});
