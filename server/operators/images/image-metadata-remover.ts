import { Type } from 'typebox';
import { defineImageMapper } from './image-operator.ts';
import { withoutPrivateData } from './private-data.ts';

export const imageMetadataRemover = defineImageMapper({
  id: 'image-metadata-remover',
  version: '1.1.0',
  name: 'Remove image metadata',
  description:
    'Removes everything that cameras and programs write beside the pixels: EXIF including GPS position, serial numbers and preview, XMP, IPTC, comments, authors and other texts, program-specific data, and anything appended to the image, such as the video or the extra images of some cameras. The colour profile is kept. The pixel data of JPEG, PNG, WebP and GIF is unchanged byte for byte; TIFF and AVIF files with metadata are re-encoded, and so are images with an EXIF rotation, which are rotated first so that they look the same. Animated PNGs that would need rotation fail.',
  categories: ['privacy'],
  params: Type.Object({}),
  examples: [
    { title: 'The GPS position is removed', params: {}, input: 'JPEG 64×48, with GPS', output: 'JPEG 64×48' },
    { title: 'Without metadata', params: {}, input: 'PNG 64×48', output: 'PNG 64×48' },
    {
      title: 'Rotated before the orientation is removed',
      params: {},
      input: 'JPEG 48×64, turned',
      output: 'JPEG 64×48',
    },
  ],
  chinese: {
    name: '去除图片元数据',
    description:
      '去除相机和程序写在像素之外的信息：含 GPS 位置、序列号和预览图的 EXIF，以及 XMP、IPTC、注释、作者等文字、各程序的私有数据，还有文件中图片之后的内容（如某些相机附带的视频或其他图片）。颜色配置保留。JPEG、PNG、WebP 和 GIF 的像素逐字节不变；含此类信息的 TIFF 和 AVIF 会重新编码；带 EXIF 方向的图片先转正再重新编码，外观不变。需要转正的 APNG 动图会失败。',
    params: {},
    examples: {
      'The GPS position is removed': '去掉 GPS 位置',
      'Without metadata': '没有元数据',
      'Rotated before the orientation is removed': '先转正再去掉方向',
    },
  },
  edit: () => (facts, _isNamed, file) => {
    const anew = { isUpright: true, facts: { hasMetadata: false } };
    if (facts.isTurned) return anew;
    // The EXIF and XMP of an AVIF are inside the picture's boxes; output of earlier steps has no other private data.
    if (file === undefined || facts.format === 'avif') {
      if (facts.hasMetadata) return anew;
      if (file === undefined) return undefined;
    }
    const plain = withoutPrivateData(file, facts.format);
    return plain === file ? undefined : (plain ?? anew);
  },
});
