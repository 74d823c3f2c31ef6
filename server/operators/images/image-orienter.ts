import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageOrienter = defineImageMapper({
  id: 'image-orienter',
  version: '1.0.0',
  name: 'Apply EXIF orientation',
  description:
    'Rotates and mirrors the pixels of images according to their EXIF orientation and removes the orientation, so that every program displays them the same way. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({}),
  examples: [
    { title: 'Rotated by its EXIF orientation', params: {}, input: 'JPEG 48×64, turned', output: 'JPEG 64×48' },
    { title: 'Already upright', params: {}, input: 'JPEG 64×48', output: 'JPEG 64×48' },
  ],
  chinese: {
    name: '转正图片',
    description:
      '按 EXIF 方向旋转和翻转图片的像素，并去掉方向标记，使所有程序的显示一致。APNG 动图会失败：只能读取第一帧。',
    params: {},
    examples: {
      'Rotated by its EXIF orientation': '按 EXIF 方向转正',
      'Already upright': '已经是正的',
    },
  },
  edit: () => (facts) => (facts.isTurned ? { isUpright: true } : undefined),
});
