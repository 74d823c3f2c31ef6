// Blurred pictures and near-duplicates are told from others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { operatorOf, outcomeOf, judgedTogether } from '../../../tests/support/picture-outcomes.ts';
import { makePicture } from '../../../tests/support/pictures.ts';
import { isSetOperator, type Media } from '../index.ts';

/** Ten pictures, each sharp and blurred by a known radius. */
test('the blur filter tells blurred pictures from sharp ones', async () => {
  const found = { right: 0, wrong: 0, missed: 0 };
  for (let seed = 1; seed <= 10; seed += 1) {
    for (const [words, isBlurred] of [
      ['JPEG 640×480', false],
      ['PNG 320×240', false],
      ['JPEG 640×480, blurred 3', true],
      ['JPEG 640×480, blurred 6', true],
      ['PNG 320×240, blurred 2', true],
    ] as const) {
      const outcome = await outcomeOf('image-blur-filter', {}, await makePicture(words, seed));
      if ('drop' in outcome) found[isBlurred ? 'right' : 'wrong'] += 1;
      else if (isBlurred) found.missed += 1;
    }
  }
  report('image-blur-filter', found);
});

test('near-duplicates are found, and others are not', async () => {
  const operator = operatorOf('image-near-deduplicator');
  assert.ok(isSetOperator(operator));
  const pictures: Media[] = [];
  const isSame: boolean[] = [];
  for (let seed = 1; seed <= 25; seed += 1) {
    const { bytes } = await makePicture('PNG 640×480', seed);
    const variants: [Promise<Buffer>, string][] = [
      [sharp(bytes).toBuffer(), 'image/png'],
      [sharp(bytes).jpeg({ quality: 60 }).toBuffer(), 'image/jpeg'],
      [sharp(bytes).resize(200).webp().toBuffer(), 'image/webp'],
      [sharp(bytes).linear(1.05, 0).jpeg().toBuffer(), 'image/jpeg'],
      [sharp(bytes).extract({ left: 4, top: 4, width: 632, height: 472 }).png().toBuffer(), 'image/png'],
    ];
    for (const [index, [made, type]] of variants.entries()) {
      pictures.push({ type, bytes: new Uint8Array(await made) });
      isSame.push(index > 0);
    }
  }
  const reasons = await judgedTogether(operator, {}, pictures);
  const found = { right: 0, wrong: 0, missed: 0 };
  for (const [index, reason] of reasons.entries()) {
    const isRightOne = reason?.includes(`{sample ${index - (index % 5) + 1}}`) === true;
    if (isRightOne && isSame[index] === true) found.right += 1;
    else if (reason !== null) found.wrong += 1;
    else if (isSame[index] === true) found.missed += 1;
  }
  report('image-near-deduplicator', found);
});

test('pictures without a pattern are duplicates only of the same', async () => {
  const operator = operatorOf('image-near-deduplicator');
  assert.ok(isSetOperator(operator));
  const grey = (value: (x: number, y: number) => number): Promise<Media> =>
    sharp(
      Uint8Array.from({ length: 64 * 64 }, (_, at) => value(at % 64, at >> 6)),
      {
        raw: { width: 64, height: 64, channels: 1 },
      },
    )
      .png()
      .toBuffer()
      .then((bytes) => ({ type: 'image/png', bytes: new Uint8Array(bytes) }));
  const pictures = await Promise.all([
    grey(() => 128),
    grey((x) => 4 * x),
    grey((_, y) => 4 * y),
    grey(() => 128),
    grey(() => 120),
  ]);
  const reasons = await judgedTogether(operator, {}, pictures);
  assert.deepEqual(reasons, [null, null, null, 'looks like {sample 1}: 0 of 64 bits differ', null]);
});

function report(id: string, { right, wrong, missed }: { right: number; wrong: number; missed: number }): void {
  const precision = right / (right + wrong);
  const recall = right / (right + missed);
  console.log(`${id}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} of ${right + missed}`);
  assert.ok(precision >= 0.95, `precision ${precision}`);
  assert.ok(recall >= 0.95, `recall ${recall}`);
}
