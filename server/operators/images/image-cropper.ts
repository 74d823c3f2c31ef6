import { Type } from 'typebox';
import { refuseFrames } from './frames.ts';
import { defineImageMapper } from './image-operator.ts';

export const imageCropper = defineImageMapper({
  id: 'image-cropper',
  version: '1.0.0',
  name: 'Crop images',
  description:
    'Crops images to a width and height, from the centre or a corner. A side that is already smaller is kept. Animations fail: their frames cannot be cropped.',
  params: Type.Object({
    width: Type.Integer({
      title: 'Width',
      default: 512,
      minimum: 1,
      maximum: 20000,
      description: 'Width of the cropped area in pixels',
    }),
    height: Type.Integer({
      title: 'Height',
      default: 512,
      minimum: 1,
      maximum: 20000,
      description: 'Height of the cropped area in pixels',
    }),
    from: Type.Union(
      [
        Type.Literal('CENTER'),
        Type.Literal('TOP_LEFT'),
        Type.Literal('TOP_RIGHT'),
        Type.Literal('BOTTOM_LEFT'),
        Type.Literal('BOTTOM_RIGHT'),
      ],
      { title: 'Position', default: 'CENTER', description: 'Position of the cropped area' },
    ),
  }),
  examples: [
    { title: 'The centre', params: { width: 100, height: 50 }, input: 'PNG 200×100', output: 'PNG 100×50' },
    {
      title: 'Smaller sides are kept',
      params: { width: 100, height: 500, from: 'TOP_LEFT' },
      input: 'PNG 200×100',
      output: 'PNG 100×100',
    },
  ],
  chinese: {
    name: '裁剪图片',
    description: '从图片中裁出指定宽高的部分，位于中央或某个角。某边更短的图片保留该边。动图会失败：不裁剪多帧图片。',
    params: {
      width: { title: '宽', help: '保留部分的宽，像素' },
      height: { title: '高', help: '保留部分的高，像素' },
      from: { title: '位置', help: '保留部分的位置' },
    },
    examples: {
      'The centre': '中央',
      'Smaller sides are kept': '更短的边保留',
    },
  },
  edit:
    ({ width, height, from }) =>
    (facts) => {
      refuseFrames(facts);
      const size = { width: Math.min(width, facts.width), height: Math.min(height, facts.height) };
      if (size.width === facts.width && size.height === facts.height) return undefined;
      const spare = { x: facts.width - size.width, y: facts.height - size.height };
      const left = from === 'CENTER' ? spare.x >> 1 : from.endsWith('LEFT') ? 0 : spare.x;
      const top = from === 'CENTER' ? spare.y >> 1 : from.startsWith('TOP') ? 0 : spare.y;
      return { isUpright: true, facts: size, apply: (image) => image.extract({ left, top, ...size }) };
    },
});
