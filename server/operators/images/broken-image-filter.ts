import { Type } from 'typebox';
import { defineImageFilter } from './image-operator.ts';
import { pictureProblems } from '../../kernel/sentences/index.ts';
import { checkPicture, hasRightName, openPicture, PictureProblem } from './pictures.ts';

export const brokenImageFilter = defineImageFilter({
  id: 'broken-image-filter',
  version: '1.0.0',
  name: 'Drop broken images',
  description:
    'Drops files that do not contain a complete image: empty, truncated or damaged files, unsupported formats (HEIC, SVG), images over 100 megapixels and, optionally, files whose extension does not match their format. All pixels are decoded; of animated PNGs only the first frame.',
  params: Type.Object({
    checkName: Type.Boolean({
      title: 'Check the file extension',
      default: true,
      description: 'Also drop files whose extension does not match their format',
    }),
  }),
  examples: [
    { title: 'Complete', params: {}, input: 'JPEG 64×48', output: 'JPEG 64×48' },
    {
      title: 'Truncated',
      params: {},
      input: 'JPEG 64×48, cut off',
      output: { drop: 'the picture is damaged: VipsJpeg: premature end of JPEG image' },
    },
    {
      title: 'Empty',
      params: {},
      input: 'JPEG 64×48, empty',
      output: { drop: 'the file is empty: it holds no picture' },
    },
  ],
  chinese: {
    name: '剔除损坏的图片',
    description:
      '剔除不含完整图片的文件：空文件、被截断或损坏的文件、无法读取的格式（HEIC、SVG）、超过一亿像素的图片，以及按需剔除名称与格式不符的文件。会读取全部像素，APNG 动图只读取第一帧。',
    params: {
      checkName: { title: '检查名称', help: '是否剔除名称与格式不符的文件' },
    },
    examples: {
      Complete: '完整',
      Truncated: '被截断',
      Empty: '空文件',
    },
  },
  judge:
    ({ checkName }) =>
    async (media) => {
      try {
        const picture = await openPicture(media);
        if (checkName && !hasRightName(media, picture.facts)) {
          const format = picture.facts.format.toUpperCase();
          return { reason: pictureProblems.PICTURE_NAME.reason({ format, type: media.type }) };
        }
        await checkPicture(picture);
        return {};
      } catch (error) {
        if (!(error instanceof PictureProblem)) throw error;
        return { reason: error.reason };
      }
    },
});
