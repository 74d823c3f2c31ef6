import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';

export const imageMetadataRemover = defineImageMapper({
  id: 'image-metadata-remover',
  version: '1.0.0',
  name: 'Remove the metadata of images',
  description:
    'Removes what cameras and programs write beside the pixels: EXIF with its GPS position, serial numbers and preview, XMP and IPTC. The colour profile stays, and images that their EXIF data turns are turned first, so that they look as before.',
  categories: ['privacy'],
  params: Type.Object({}),
  examples: [
    { title: 'The GPS position goes', params: {}, input: 'JPEG 64×48, with GPS', output: 'JPEG 64×48' },
    { title: 'Without metadata', params: {}, input: 'PNG 64×48', output: 'PNG 64×48' },
    { title: 'Turned before its orientation goes', params: {}, input: 'JPEG 48×64, turned', output: 'JPEG 64×48' },
  ],
  chinese: {
    name: '去除图片元数据',
    description:
      '去除相机和程序写在像素之外的信息：含 GPS 位置、序列号和预览图的 EXIF，以及 XMP 和 IPTC。颜色配置保留；带 EXIF 方向的图片先转正，外观不变。',
    params: {},
    examples: {
      'The GPS position goes': '去掉 GPS 位置',
      'Without metadata': '没有元数据',
      'Turned before its orientation goes': '先转正再去掉方向',
    },
  },
  edit: () => (facts) =>
    facts.hasMetadata || facts.isTurned ? { isUpright: true, facts: { hasMetadata: false } } : undefined,
});
