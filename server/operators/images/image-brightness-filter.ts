import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineImageFilter } from './image-operator.ts';
import { openPicture, readGrey } from './pictures.ts';

const reasons = defineSentences('image-brightness-filter', {
  TOO_DARK: 'the brightness {brightness} is below min {min}',
  TOO_BRIGHT: 'the brightness {brightness} is above max {max}',
});

export const imageBrightnessFilter = defineImageFilter({
  id: 'image-brightness-filter',
  version: '1.0.0',
  name: 'Filter images by brightness',
  description:
    'Drops images whose mean brightness is below `min` or above `max`, from 0 (black) to 255 (white). For animations, only the first frame is measured.',
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum brightness',
      default: 20,
      minimum: 0,
      maximum: 255,
      description: 'Darker images are dropped; 0 to 255',
    }),
    max: Type.Number({
      title: 'Maximum brightness',
      default: 240,
      minimum: 0,
      maximum: 255,
      description: 'Brighter images are dropped; 0 to 255',
    }),
  }),
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  examples: [
    {
      title: 'Neither too dark nor too bright',
      params: {},
      input: 'PNG 64×48, plain 60',
      output: 'PNG 64×48, brightness 60',
    },
    {
      title: 'Nearly black',
      params: {},
      input: 'PNG 64×48, plain 5',
      output: { drop: 'the brightness 5 is below min 20' },
    },
    {
      title: 'Nearly white',
      params: {},
      input: 'PNG 64×48, plain 250',
      output: { drop: 'the brightness 250 is above max 240' },
    },
  ],
  chinese: {
    name: '按亮度过滤图片',
    description: '剔除平均亮度低于 `min` 或高于 `max` 的图片，0 为黑，255 为白。动图按第一帧判断。',
    params: {
      min: { title: '最暗', help: '保留图片的最低平均亮度' },
      max: { title: '最亮', help: '保留图片的最高平均亮度' },
    },
    examples: {
      'Neither too dark nor too bright': '适中',
      'Nearly black': '几乎全黑',
      'Nearly white': '几乎全白',
    },
    reasons: {
      TOO_DARK: '亮度 {brightness} 低于下限 {min}',
      TOO_BRIGHT: '亮度 {brightness} 高于上限 {max}',
    },
  },
  judge:
    ({ min, max }) =>
    async (media) => {
      const { pixels } = await readGrey(await openPicture(media), { longest: 256 });
      const mean = pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length;
      const brightness = Math.round(mean * 10) / 10;
      if (brightness < min) return { score: brightness, reason: reasons.TOO_DARK.reason({ brightness, min }) };
      return {
        score: brightness,
        reason: brightness > max ? reasons.TOO_BRIGHT.reason({ brightness, max }) : undefined,
      };
    },
});
