import { Type } from 'typebox';
import { refuseFrames } from './frames.ts';
import { defineImageMapper } from './image-operator.ts';

export const imageDenoiser = defineImageMapper({
  id: 'image-denoiser',
  version: '1.0.0',
  name: 'Remove noise from images',
  description:
    'Replaces each pixel with the median of its neighbourhood, which removes specks and keeps edges. Animations fail, because frames would bleed into each other.',
  params: Type.Object({
    size: Type.Integer({
      title: 'Size',
      default: 3,
      minimum: 3,
      maximum: 15,
      description: 'Side length of the square around each pixel, in pixels',
    }),
  }),
  examples: [{ title: 'Specks', params: {}, input: 'PNG 64×48, noisy', output: 'PNG 64×48' }],
  chinese: {
    name: '图片去噪',
    description: '把每个像素替换为周围像素的中位数：去掉噪点，保留边缘。动图会失败，因为各帧会相互影响。',
    params: {
      size: { title: '大小', help: '像素周围方块的边长，像素' },
    },
    examples: {
      Specks: '噪点',
    },
  },
  edit:
    ({ size }) =>
    (facts) => {
      refuseFrames(facts);
      return { facts: { depth: 8 }, apply: (image) => image.median(size) };
    },
});
