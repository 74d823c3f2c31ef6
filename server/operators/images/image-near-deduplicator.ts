import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { duplicatesBy } from '../deduplicators/duplicates.ts';
import { defineSetOperator } from '../operator.ts';
import { hashPicture } from './picture-hash.ts';
import { mediaOfGrey, openPicture, readGrey } from './pictures.ts';

/** Side of the square that a picture is scaled down to before it is hashed. */
const side = 32;
const bits = 64;
/** Hashes that differ in at most six bits agree in at least two of eight blocks; each pair of blocks is a key. */
const blocks = 8;
const mostBits = blocks - 2;
const pairs = Array.from({ length: blocks }, (_, one) =>
  Array.from({ length: blocks - one - 1 }, (_none, other) => [one, one + 1 + other] as const),
).flat();
/** Maximum difference in mean brightness, so that plain pictures of different brightness are not duplicates. */
const mostBrightness = 24;

const reasons = defineSentences('image-near-deduplicator', {
  NEAR_PICTURE: 'looks like {sample}: {distance} of 64 bits differ',
});

export const imageNearDeduplicator = defineSetOperator({
  id: 'image-near-deduplicator',
  version: '1.1.0',
  name: 'Remove near-duplicate images',
  description:
    'Keeps the first of images that look alike across the whole input and drops the others: resized, re-encoded, converted or slightly brighter copies, or copies with small changes. Images are compared by 64-bit perceptual hashes, the signs of the lowest frequencies of the brightness (Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions", 2010). Cropped or rotated copies are not found. Plain images, and images that change in one direction only, have no such frequencies and are duplicates only if their pixels are identical. For animations, only the first frame is compared.',
  modality: 'IMAGE',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication', 'images'],
  params: Type.Object({
    distance: Type.Integer({
      title: 'Maximum differing bits',
      default: 4,
      minimum: 0,
      maximum: mostBits,
      description: 'Images whose hashes differ in at most this many bits are near-duplicates',
    }),
  }),
  reads: ['media'],
  setExamples: [
    {
      title: 'Resized and converted',
      params: {},
      inputs: ['PNG 640×480', 'JPEG 320×240', 'PNG 640×480, other'],
      outputs: ['PNG 640×480', { drop: 'looks like {sample 1}: 1 of 64 bits differ' }, 'PNG 640×480, other'],
    },
  ],
  keepsFirstOfEqual: true,
  chinese: {
    name: '图片近似去重',
    description:
      '在全部输入中，看起来相同的图片只保留第一张，其余剔除：缩放、重新编码、转换格式、略微变亮或有小改动的图片。比较的是 64 位感知哈希，即亮度最低频率的符号（Zauner，"Implementation and Benchmarking of Perceptual Image Hash Functions"，2010）。裁剪和旋转过的图片视为不同。单色或只沿一个方向变化的图片没有这些频率，只有像素相同才算重复。动图按第一帧比较。',
    params: { distance: { title: '最多不同位数', help: '哈希最多相差这么多位的图片视为近似重复' } },
    examples: { 'Resized and converted': '缩放并转换格式' },
    reasons: { NEAR_PICTURE: '与 {sample} 看起来相同：64 位中有 {distance} 位不同' },
  },
  prepare: (samples) =>
    Promise.all(
      samples.map(async ({ media: [media] }) =>
        media === undefined
          ? { media: [] }
          : { media: [mediaOfGrey(await readGrey(await openPicture(media), { side }))] },
      ),
    ),
  all: ({ distance }) => {
    const search = {
      keys: pairs.length,
      words: 3,
      similarity: (one: Uint32Array, other: Uint32Array) =>
        Math.abs((one[2] ?? 0) - (other[2] ?? 0)) > mostBrightness
          ? 0
          : 1 - (bitsOf((one[0] ?? 0) ^ (other[0] ?? 0)) + bitsOf((one[1] ?? 0) ^ (other[1] ?? 0))) / bits,
      threshold: 1 - distance / bits,
      reason: (similarity: number, sample: string) =>
        reasons.NEAR_PICTURE.reason({ sample, distance: Math.round((1 - similarity) * bits) }),
    };
    return {
      ...duplicatesBy(search),
      sign({ media: [media] }, keys, words) {
        if (media === undefined) return;
        const { low, high, mean } = hashPicture(media.bytes, side);
        words.set([low, high, mean]);
        const block = (at: number): number => ((at < 4 ? low : high) >>> ((at & 3) * 8)) & 0xff;
        for (const [index, [one, other]] of pairs.entries()) {
          // The pair's number keeps keys of different pairs apart.
          keys[index] = ((index << 16) | (block(one) << 8) | block(other)) >>> 0;
        }
      },
    };
  },
});

function bitsOf(word: number): number {
  let count = 0;
  for (let rest = word >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count += 1;
  return count;
}
