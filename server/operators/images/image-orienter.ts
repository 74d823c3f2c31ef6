import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageOrienter = defineImageMapper({
  id: 'image-orienter',
  version: '1.0.0',
  name: 'Turn images upright',
  description:
    'Turns and mirrors the pixels of images as their EXIF orientation says, and removes the orientation: then every program shows them alike. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({}),
  examples: [
    { title: 'Turned by its EXIF data', params: {}, input: 'JPEG 48×64, turned', output: 'JPEG 64×48' },
    { title: 'Upright already', params: {}, input: 'JPEG 64×48', output: 'JPEG 64×48' },
  ],
  chinese: {
    name: '转正图片',
    description:
      '按 EXIF 方向旋转和翻转图片的像素，并去掉方向标记，使所有程序的显示一致。APNG 动图会失败：只能读取第一帧。',
    params: {},
    examples: {
      'Turned by its EXIF data': '按 EXIF 方向转正',
      'Upright already': '已经是正的',
    },
  },
  edit: () => (facts) => (facts.isTurned ? { isUpright: true } : undefined),
});
