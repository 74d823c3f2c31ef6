import { Type } from 'typebox';
import { refuseFrames } from './frames.ts';
import type { PictureFormat } from './pictures.ts';
import { defineImageMapper } from './image-operator.ts';

export const imageConverter = defineImageMapper({
  id: 'image-converter',
  version: '1.1.0',
  name: 'Convert images',
  description:
    'Converts images to another format and changes the file extension (`a.png` becomes `a.webp`). Also corrects the extension of files whose name does not match their format. JPEG has no transparency: transparent pixels are blended with `background`, white by default. Only PNG and TIFF keep 16 bits; CMYK becomes sRGB. WebP and GIF keep animations; with other formats they fail. Animated PNGs fail: only their first frame can be read.',
  params: Type.Object({
    format: Type.Union(
      [
        Type.Literal('JPEG'),
        Type.Literal('PNG'),
        Type.Literal('WEBP'),
        Type.Literal('AVIF'),
        Type.Literal('GIF'),
        Type.Literal('TIFF'),
      ],
      { title: 'Format', default: 'JPEG', description: 'Output format' },
    ),
    quality: Type.Integer({
      title: 'Quality',
      default: 85,
      minimum: 1,
      maximum: 100,
      description: 'Quality for JPEG, WebP and AVIF',
    }),
    background: Type.String({
      title: 'Background',
      default: '#ffffff',
      pattern: '^#[0-9a-fA-F]{6}$',
      maxLength: 7,
      description: 'Background colour for transparent pixels in JPEG, as #rrggbb; other formats keep transparency',
    }),
  }),
  examples: [
    { title: 'The extension changes', params: { format: 'WEBP' }, input: 'PNG 64×48', output: 'WEBP 64×48' },
    { title: 'The same format is unchanged', params: { format: 'JPEG' }, input: 'JPEG 64×48', output: 'JPEG 64×48' },
    {
      title: 'Frames are kept',
      params: { format: 'WEBP' },
      input: 'GIF 64×48, 3 frames',
      output: 'WEBP 64×48, 3 frames',
    },
    { title: 'CMYK becomes sRGB', params: { format: 'PNG' }, input: 'JPEG 64×48, CMYK', output: 'PNG 64×48' },
  ],
  chinese: {
    name: '转换图片格式',
    description:
      '把图片写成另一种格式，文件名随之改变（`a.png` 变为 `a.webp`）；名称与内容格式不符的文件也会得到正确的名称。JPEG 没有透明度，透明部分变为 `background` 的颜色（默认白色），半透明部分与之混合；只有 PNG 和 TIFF 保留 16 位；CMYK 转为 sRGB。动图可转为 WebP 和 GIF，转为其他格式会失败。APNG 动图会失败：只能读取第一帧。',
    params: {
      format: { title: '格式', help: '转换后的格式' },
      quality: { title: '质量', help: 'JPEG、WebP 和 AVIF 的质量' },
      background: { title: '背景色', help: 'JPEG 中透明像素背后的颜色，写作 #rrggbb；其他格式保持透明' },
    },
    examples: {
      'The extension changes': '名称随之改变',
      'The same format is unchanged': '相同格式不变',
      'Frames are kept': '动图的帧保留',
      'CMYK becomes sRGB': 'CMYK 转为 sRGB',
    },
  },
  fixesNames: true,
  edit: ({ format, quality, background }) => {
    const wanted = format.toLowerCase() as PictureFormat;
    return (facts, isNamed) => {
      if (facts.format === wanted) return isNamed ? undefined : 'RENAME';
      if (wanted !== 'webp' && wanted !== 'gif') refuseFrames(facts);
      const keepsDepth = wanted === 'png' || wanted === 'tiff';
      return { quality, background, facts: { format: wanted, ...(keepsDepth ? {} : { depth: 8 }) } };
    };
  },
});
