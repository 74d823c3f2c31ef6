import { Type } from 'typebox';
import { defineImageFilter } from './image-operator.ts';
import { pictureProblems } from '../../kernel/sentences.ts';
import { checkPicture, hasRightName, openPicture, PictureProblem } from './pictures.ts';

export const brokenImageFilter = defineImageFilter({
  id: 'broken-image-filter',
  version: '1.0.0',
  name: 'Drop broken images',
  description:
    'Drops files that hold no whole picture: empty, cut off or damaged ones, formats that can not be read (HEIC, SVG), pictures of over 100 megapixels, and on request files whose name tells another format. All pixels are read, of animated PNGs those of the first frame.',
  params: Type.Object({
    checkName: Type.Boolean({
      title: 'Check the name',
      default: true,
      description: 'Whether files whose name tells another format are dropped',
    }),
  }),
  examples: [
    { title: 'Whole', params: {}, input: 'JPEG 64×48', output: 'JPEG 64×48' },
    {
      title: 'Cut off',
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
      Whole: '完整',
      'Cut off': '被截断',
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
          return { reason: pictureProblems.PICTURE_NAME({ format, type: media.type }) };
        }
        await checkPicture(picture);
        return {};
      } catch (error) {
        if (!(error instanceof PictureProblem)) throw error;
        return { reason: error.message };
      }
    },
});
