import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { outcomeOf } from '../../../tests/support/picture-outcomes.ts';
import { makePicture } from '../../../tests/support/pictures.ts';
import { animated, makeChunk, withChunks } from '../../../tests/support/png-chunks.ts';
import { shrinkPicture } from './thumbnails.ts';

const type = 'image/png';

for (const [id, given] of [
  ['image-resizer', { width: 8, height: 8 }],
  ['image-grayscaler', {}],
  ['image-cropper', { width: 8, height: 8 }],
  ['image-brightness-adjuster', {}],
  ['image-contrast-adjuster', {}],
  ['image-saturation-adjuster', {}],
  ['image-sharpener', {}],
  ['image-denoiser', {}],
  ['image-converter', { format: 'WEBP' }],
] as const) {
  test(`${id} fails for an animated PNG instead of losing its frames`, async () => {
    const bytes = animated((await makePicture('PNG 64×48')).bytes, 6);
    await assert.rejects(
      outcomeOf(id, given, { type, bytes }),
      /the picture has 6 frames, of which this step would keep/,
    );
  });
}

test('filters judge the first frame of an animated PNG, and a step that changes nothing keeps all', async () => {
  const media = { type, bytes: animated((await makePicture('PNG 64×48')).bytes, 6) };
  assert.equal(await outcomeOf('broken-image-filter', {}, media), media);
  assert.equal(await outcomeOf('image-brightness-filter', { min: 0, max: 255 }, media), media);
  assert.equal(await outcomeOf('image-resizer', { width: 640, height: 480 }, media), media);
  assert.equal(await outcomeOf('image-converter', { format: 'PNG' }, media), media);
  assert.equal((await shrinkPicture(media, 8)).facts?.frames, 6);
});

test('an animated PNG of one frame is a picture like others', async () => {
  const bytes = animated((await makePicture('PNG 64×48')).bytes, 1);
  const small = await outcomeOf('image-resizer', { width: 32, height: 32 }, { type, bytes });
  assert.ok('bytes' in small);
  assert.equal((await sharp(small.bytes).metadata()).width, 32);
});

/** EXIF data that rotates a picture by 90 degrees. */
const turning = makeChunk('eXIf', Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex'));

for (const [id, given, width] of [
  ['image-orienter', {}, 48],
  ['image-metadata-remover', {}, 48],
  ['image-resizer', { width: 32, height: 32 }, 24],
] as const) {
  test(`${id} applies an orientation that stands behind the pixels of a PNG`, async () => {
    const bytes = withChunks((await makePicture('PNG 64×48')).bytes, [], [turning]);
    const made = await outcomeOf(id, given, { type, bytes });
    assert.ok('bytes' in made);
    const found = await sharp(made.bytes).metadata();
    assert.equal(found.width, width);
    assert.equal(found.orientation ?? 1, 1);
  });
}
