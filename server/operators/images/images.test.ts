import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { noEffects } from '../../../tests/support/model-effects.ts';
import { operatorOf, outcomeOf, paramsOf, judgedTogether } from '../../../tests/support/picture-outcomes.ts';
import { crcOf } from '../../../tests/support/png-chunks.ts';
import { describePicture, makePicture } from '../../../tests/support/pictures.ts';
import { isBatchOperator, isSetOperator, operators, type Media } from '../index.ts';

const overMedia = operators.filter(({ reads }) => reads.includes('media'));

for (const operator of overMedia) {
  if (isSetOperator(operator)) continue;
  for (const { title, params, input, output } of operator.examples) {
    test(`${operator.id}: ${title}`, async () => {
      const outcome = await outcomeOf(operator.id, params, await makePicture(input));
      if ('drop' in outcome) assert.deepEqual(outcome, output);
      else assert.equal(await describePicture(outcome, typeof output === 'string' ? output : ''), output);
    });
  }
}

for (const operator of overMedia) {
  if (!isSetOperator(operator)) continue;
  for (const { title, params, inputs, outputs } of operator.setExamples) {
    test(`${operator.id}: ${title}`, async () => {
      const pictures = await Promise.all(inputs.map((input) => makePicture(input)));
      const reasons = await judgedTogether(operator, params, pictures);
      assert.deepEqual(
        reasons.map((reason, index) => (reason === null ? inputs[index] : { drop: reason })),
        outputs,
      );
    });
  }
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
const heicHead = Buffer.from('000000186674797068656963000000006d6966316865696300000000', 'hex');

const unreadable: readonly [title: string, media: () => Promise<Media>, reason: RegExp][] = [
  ['an empty file', () => makePicture('JPEG 64×48, empty'), /^the file is empty/],
  ['a truncated JPEG', () => makePicture('JPEG 64×48, cut off'), /^the picture is damaged: /],
  ['a truncated PNG', () => makePicture('PNG 640×480, cut off'), /^the picture is damaged: /],
  ['an SVG', async () => ({ type: 'image/svg+xml', bytes: Buffer.from(svg) }), /^SVG is a drawing/],
  ['an SVG by another name', async () => ({ type: 'image/png', bytes: Buffer.from(svg) }), /^SVG is a drawing/],
  ['HEIC', async () => ({ type: 'image/heic', bytes: heicHead }), /holds no picture that can be read/],
  ['text', async () => ({ type: 'image/png', bytes: Buffer.from('no picture') }), /holds no picture that can be read/],
  ['a file of sound', async () => ({ type: 'audio/mpeg', bytes: Buffer.from('ID3') }), /is no picture$/],
  [
    'a PNG that claims 60,000×60,000 pixels',
    async () => ({ type: 'image/png', bytes: await bomb() }),
    /over the limit of 100000000$/,
  ],
];
for (const [title, media, reason] of unreadable) {
  test(`${title} fails with its reason, and is dropped as broken`, async () => {
    const made = await media();
    await assert.rejects(outcomeOf('image-resizer', { width: 8, height: 8 }, made), (error: Error) =>
      reason.test(error.message),
    );
    const dropped = await outcomeOf('broken-image-filter', {}, made);
    assert.ok('drop' in dropped);
    assert.match(dropped.drop, reason);
  });
}

/** The head of a PNG of 60,000 × 60,000 pixels, and a little data. */
async function bomb(): Promise<Uint8Array> {
  const { bytes } = await makePicture('PNG 64×48');
  const head = Buffer.from(bytes);
  head.writeUInt32BE(60_000, 16);
  head.writeUInt32BE(60_000, 20);
  head.writeUInt32BE(crcOf(head.subarray(12, 29)), 29);
  return head;
}

test('a picture with a wrong name fails in other steps, and gets its name by conversion, to the byte', async () => {
  const { bytes } = await makePicture('PNG 64×48');
  const wrong = { type: 'image/jpeg', bytes };
  await assert.rejects(outcomeOf('image-resizer', { width: 8, height: 8 }, wrong), /its name says image\/jpeg/);
  const named = await outcomeOf('image-converter', { format: 'PNG' }, wrong);
  assert.deepEqual(named, { type: 'image/png', bytes });
});

test('animations keep their frames, or fail', async () => {
  const moving = await makePicture('GIF 64×48, 3 frames');
  await assert.rejects(outcomeOf('image-cropper', { width: 8, height: 8 }, moving), /has 3 frames/);
  await assert.rejects(outcomeOf('image-converter', { format: 'JPEG' }, moving), /has 3 frames/);
  const grey = await outcomeOf('image-grayscaler', {}, moving);
  assert.ok('bytes' in grey);
  assert.equal((await sharp(grey.bytes, { animated: true }).metadata()).pages, 3);
});

for (const [id, given] of [
  ['image-grayscaler', {}],
  ['image-brightness-adjuster', { factor: 2 }],
  ['image-contrast-adjuster', { factor: 0.3 }],
  ['image-saturation-adjuster', { factor: 0 }],
] as const) {
  test(`${id} makes the same colours of a GIF as of a PNG`, async () => {
    const gif = await makePicture('GIF 64×48');
    const png = { type: 'image/png', bytes: new Uint8Array(await sharp(gif.bytes).png().toBuffer()) };
    const pixelsOf = async (media: Media): Promise<Buffer> => {
      const made = await outcomeOf(id, given, media);
      assert.ok('bytes' in made);
      return sharp(made.bytes).removeAlpha().toColourspace('srgb').raw().toBuffer();
    };
    const [found, wanted] = [await pixelsOf(gif), await pixelsOf(png)];
    assert.equal(found.length, wanted.length);
    const off = found.reduce((sum, value, at) => sum + Math.abs(value - (wanted[at] ?? 0)), 0) / found.length;
    assert.ok(off < 1, `${off} off on average`);
  });
}

test('metadata and the colour profile stay unless they are removed', async () => {
  const { bytes } = await makePicture('JPEG 640×480, with GPS');
  const source = {
    type: 'image/jpeg',
    bytes: new Uint8Array(await sharp(bytes).keepMetadata().withIccProfile('p3').toBuffer()),
  };
  const smaller = await outcomeOf('image-resizer', { width: 64, height: 64 }, source);
  const removed = await outcomeOf('image-metadata-remover', {}, source);
  assert.ok('bytes' in smaller && 'bytes' in removed);
  const kept = await sharp(smaller.bytes).metadata();
  assert.ok(kept.exif?.includes('Camera') === true && kept.icc !== undefined);
  const without = await sharp(removed.bytes).metadata();
  assert.ok(without.exif?.includes('Camera') !== true && without.icc !== undefined);
});

test('consecutive steps share the pixels: encoded once, all that was set stays', async () => {
  const source = await makePicture('JPEG 640×480, with GPS');
  let media: Media = source;
  const steps: readonly [string, object][] = [
    ['image-resizer', { width: 320, height: 320 }],
    ['image-cropper', { width: 200, height: 100 }],
    ['image-grayscaler', {}],
    ['image-converter', { format: 'PNG' }],
  ];
  for (const [id, given] of steps) {
    const operator = operatorOf(id);
    assert.ok(isBatchOperator(operator));
    const [outcome] = await operator
      .batch(paramsOf(operator, given), noEffects())
      .run([{ media: [media] }], new AbortController().signal);
    assert.ok(outcome !== undefined && 'media' in outcome && outcome.media?.[0] !== undefined);
    [media] = outcome.media;
    assert.equal(media.bytes.length, 0);
  }
  const made = { type: media.type, bytes: (await media.encode?.()) ?? new Uint8Array(0) };
  assert.equal(await describePicture(made, ''), 'PNG 200×100, grey, with GPS');
});

test('a picture that breaks off between two steps says what could not be read', async () => {
  const media = await makePicture('PNG 640×480, cut off');
  const [resizer, grey] = [operatorOf('image-resizer'), operatorOf('image-grayscaler')];
  assert.ok(isBatchOperator(resizer) && isBatchOperator(grey));
  const { signal } = new AbortController();
  const [resized] = await resizer
    .batch(paramsOf(resizer, { width: 300, height: 300 }), noEffects())
    .run([{ media: [media] }], signal);
  assert.ok(resized !== undefined && 'media' in resized);
  await assert.rejects(grey.batch({}, noEffects()).run([resized], signal), (error: Error) => {
    assert.match(error.message, /^the picture is damaged: /);
    assert.doesNotMatch(error.message, /write/);
    return true;
  });
});

for (const [id, given] of [
  ['image-resizer', { width: 100, height: 400, fit: 'COVER', enlarge: true }],
  ['image-resizer', { width: 64, height: 64 }],
  ['image-brightness-adjuster', { factor: 1.5 }],
  ['image-sharpener', {}],
] as const) {
  test(`a filter after ${id} ${JSON.stringify(given)} judges the picture that is written`, async () => {
    const filter = operatorOf('image-blur-filter');
    const mapper = operatorOf(id);
    assert.ok(isBatchOperator(filter) && isBatchOperator(mapper));
    const { signal } = new AbortController();
    const runs = [
      mapper.batch(paramsOf(mapper, given), noEffects()),
      filter.batch(paramsOf(filter, { min: 0 }), noEffects()),
    ] as const;
    const scoreOf = async (media: Media): Promise<number> => {
      const [outcome] = await runs[1].run([{ media: [media] }], signal);
      assert.ok(outcome !== undefined && 'verdict' in outcome && typeof outcome.score === 'number');
      return outcome.score;
    };
    const [changed] = await runs[0].run([{ media: [await makePicture('PNG 640×480')] }], signal);
    const media = changed !== undefined && 'media' in changed ? changed.media?.[0] : undefined;
    assert.ok(media?.encode !== undefined);
    const inMemory = await scoreOf(media);
    assert.equal(inMemory, await scoreOf({ type: 'image/png', bytes: await media.encode() }));
  });
}
