import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageResizer = defineImageMapper({
  id: 'image-resizer',
  version: '1.0.0',
  name: 'Resize images',
  description:
    'Resizes images to a width and height: fitted inside the box, covering it and cropped, or stretched. By default, images that already fit are unchanged. Images with an EXIF rotation are rotated first; all frames of animations are resized. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({
    width: Type.Integer({
      title: 'Width',
      default: 1024,
      minimum: 1,
      maximum: 20000,
      description: 'Width of the box in pixels',
    }),
    height: Type.Integer({
      title: 'Height',
      default: 1024,
      minimum: 1,
      maximum: 20000,
      description: 'Height of the box in pixels',
    }),
    fit: Type.Union([Type.Literal('INSIDE'), Type.Literal('COVER'), Type.Literal('STRETCH')], {
      title: 'Fit',
      default: 'INSIDE',
      description:
        '`INSIDE` fits the whole image, `COVER` fills the box and crops the rest, `STRETCH` ignores the aspect ratio',
    }),
    enlarge: Type.Boolean({
      title: 'Enlarge small images',
      default: false,
      description: 'Also enlarge images smaller than the box',
    }),
  }),
  examples: [
    { title: 'Inside the box', params: { width: 320, height: 320 }, input: 'JPEG 640×480', output: 'JPEG 320×240' },
    {
      title: 'Small images are unchanged',
      params: { width: 1000, height: 1000 },
      input: 'PNG 64×48',
      output: 'PNG 64×48',
    },
    {
      title: 'Covering the box',
      params: { width: 100, height: 100, fit: 'COVER' },
      input: 'JPEG 640×480',
      output: 'JPEG 100×100',
    },
    {
      title: 'Frames are kept',
      params: { width: 32, height: 32 },
      input: 'GIF 64×64, 3 frames',
      output: 'GIF 32×32, 3 frames',
    },
    {
      title: '16 bits are kept',
      params: { width: 32, height: 32 },
      input: 'PNG 64×64, 16 bit',
      output: 'PNG 32×32, 16 bit',
    },
  ],
  chinese: {
    name: '调整图片大小',
    description:
      '把图片缩小（或放大）到指定的宽和高：完整放入、填满并裁去多余部分、或拉伸。默认不放大，足够小的图片保持不变。带 EXIF 方向的图片先转正；动图的每一帧都会调整。APNG 动图会失败：只能读取第一帧。',
    params: {
      width: { title: '宽', help: '外框的宽，像素' },
      height: { title: '高', help: '外框的高，像素' },
      fit: { title: '方式', help: '`INSIDE` 保留整张图片，`COVER` 填满外框并裁去多余部分，`STRETCH` 不保持宽高比' },
      enlarge: { title: '放大小图', help: '是否放大比外框小的图片' },
    },
    examples: {
      'Inside the box': '完整放入',
      'Small images are unchanged': '小图不变',
      'Covering the box': '填满外框',
      'Frames are kept': '动图的帧保留',
      '16 bits are kept': '16 位保留',
    },
  },
  edit:
    ({ width, height, fit, enlarge }) =>
    (facts) => {
      const scale =
        fit === 'INSIDE'
          ? Math.min(width / facts.width, height / facts.height)
          : Math.max(width / facts.width, height / facts.height);
      const isSame = fit === 'INSIDE' ? scale === 1 : facts.width === width && facts.height === height;
      const grows = fit === 'STRETCH' ? width > facts.width || height > facts.height : scale > 1;
      if (isSame || (grows && !enlarge)) return undefined;
      const inside = (side: number): number => Math.max(1, Math.round(side * scale));
      const size = fit === 'INSIDE' ? { width: inside(facts.width), height: inside(facts.height) } : { width, height };
      return {
        isUpright: true,
        facts: size,
        apply: (image) => image.resize({ ...size, fit: fit === 'COVER' ? 'cover' : 'fill' }),
      };
    },
});
