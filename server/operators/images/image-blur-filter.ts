import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineImageFilter } from './image-operator.ts';
import { openPicture, readGrey } from './pictures.ts';

const reasons = defineSentences('image-blur-filter', {
  BLURRED: 'the sharpness {sharpness} is below min {min}',
});

export const imageBlurFilter = defineImageFilter({
  id: 'image-blur-filter',
  version: '1.0.0',
  name: 'Filter blurred images',
  description:
    'Drops blurred images: those whose variance of the Laplacian of the brightness is below `min` (Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy", 2000). Images are measured scaled down to at most 1,024 pixels on the longer side, so that large and small images are comparable. Images of plain areas also score low. For animations, only the first frame is measured.',
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum sharpness',
      default: 100,
      minimum: 0,
      maximum: 1000000,
      description: 'Images with a lower variance of the Laplacian are dropped',
    }),
  }),
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    { title: 'Sharp', params: {}, input: 'PNG 64×48', output: 'PNG 64×48' },
    { title: 'Plain', params: {}, input: 'PNG 64×48, plain 60', output: { drop: 'the sharpness 0 is below min 100' } },
  ],
  chinese: {
    name: '过滤模糊图片',
    description:
      '剔除边缘微弱的图片：亮度的拉普拉斯方差低于 `min`（Pech-Pacheco 等，"Diatom autofocusing in brightfield microscopy"，2000）。先把长边缩到最多 1,024 像素再测量，使大图与小图标准一致。纯色图也没有边缘。动图按第一帧判断。',
    params: {
      min: { title: '最弱边缘', help: '保留图片的最低拉普拉斯方差' },
    },
    examples: {
      Sharp: '清晰',
      Plain: '纯色',
    },
    reasons: {
      BLURRED: '清晰度 {sharpness} 低于下限 {min}',
    },
  },
  judge:
    ({ min }) =>
    async (media) => {
      const sharpness = sharpnessOf(await readGrey(await openPicture(media), { longest: 1024 }));
      return { score: sharpness, reason: sharpness < min ? reasons.BLURRED.reason({ sharpness, min }) : undefined };
    },
});

/** Variance of the Laplacian: the difference between each pixel and its four neighbours. */
function sharpnessOf({ pixels, width, height }: { pixels: Uint8Array; width: number; height: number }): number {
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const around =
        (pixels[at - 1] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at - width] ?? 0) + (pixels[at + width] ?? 0);
      const value = around - 4 * (pixels[at] ?? 0);
      sum += value;
      squares += value * value;
      count += 1;
    }
  }
  if (count === 0) return 0;
  return Math.round((squares / count - (sum / count) ** 2) * 10) / 10;
}
