// Pictures in previews: what people see of them before and after each step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { makePicture } from '../../../../tests/support/pictures.ts';
import type { InputFile, PreviewSample, Step } from '../../index.ts';
import { createPreviewPictures } from './preview-pictures.ts';
import type { PreviewPicture } from '../../orders/preview-jobs.ts';

async function preview(
  bench: EngineBench,
  files: readonly InputFile[],
  steps: readonly Step[],
  pictureSide?: number,
): Promise<PreviewSample[]> {
  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield files;
  }
  const request = { inputs: inputs(), steps, onError: 'SET_ASIDE', textField: null, limit: 20 } as const;
  const side = pictureSide === undefined ? {} : { pictureSide };
  return (await bench.engine.preview({ ...request, ...side })).samples;
}

/** Size of a thumbnail: `100×75`. */
async function sizeOf({ thumbnail }: PreviewPicture): Promise<string | null> {
  if (thumbnail === null) return null;
  const [head, content = ''] = thumbnail.split(',');
  assert.equal(head, 'data:image/webp;base64');
  const { width, height } = await sharp(Buffer.from(content, 'base64')).metadata();
  return `${width}×${height}`;
}

function thumbnailOf(picture: PreviewPicture | undefined): Buffer {
  return Buffer.from(picture?.thumbnail?.split(',')[1] ?? '', 'base64');
}

async function pictureOf(sample: PreviewSample | undefined, number: number | undefined): Promise<string> {
  const picture = sample?.pictures[number ?? -1];
  assert.ok(picture, `no picture ${number}`);
  const { type, width, height } = picture;
  return `${type} ${width}×${height}, shown ${await sizeOf(picture)}`;
}

forAnyDatabase('each step shows its picture before and after, the results their bytes', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const photo = (await makePicture('JPEG 640×480, turned')).bytes;
  const files = [
    await bench.put('a.jpg', photo),
    await bench.put('b.png', (await makePicture('PNG 64×48')).bytes),
    await bench.put('c.png', (await makePicture('PNG 400×300, cut off')).bytes),
    await bench.put('d.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  ];
  const steps = [
    step('image-resolution-filter', { min: 100 }),
    step('image-resizer', { width: 100, height: 100 }),
    step('image-converter', { format: 'WEBP' }),
  ];
  const samples = await preview(bench, files, steps, 50);
  const [a, b, c, d] = samples;
  assert.deepEqual(
    samples.map(({ verdict, operatorId }) => [verdict, operatorId]),
    [
      ['CHANGED', null],
      ['DROPPED', 'image-resolution-filter'],
      // The resizer's edit is deferred until a later step needs the pixels.
      ['FAILED', 'image-converter'],
      ['FAILED', 'image-resolution-filter'],
    ],
  );
  // The first step keeps the picture as it is, so that it is shown once.
  assert.deepEqual(
    a?.steps.map(({ before, after }) => [before.picture, after.map(({ picture }) => picture)]),
    [
      [0, [0]],
      [0, [1]],
      [1, [2]],
    ],
  );
  assert.equal(await pictureOf(a, 0), 'image/jpeg 480×640, shown 38×50');
  assert.equal(await pictureOf(a, 1), 'image/jpeg 75×100, shown 38×50');
  assert.equal(await pictureOf(a, a?.texts[0]?.picture), 'image/webp 75×100, shown 38×50');
  const [before, between, after] = a?.pictures ?? [];
  assert.equal(before?.sizeBytes, photo.length);
  assert.equal(between?.sizeBytes, null, 'it is never encoded');
  const written = after?.sizeBytes ?? 0;
  assert.ok(written > 100 && written < 10_000, String(written));
  assert.deepEqual(b?.steps[0]?.after, []);
  assert.equal(await pictureOf(b, b?.steps[0]?.before.picture), 'image/png 64×48, shown 50×38');
  // The readable part of a damaged picture is shown.
  assert.equal(await pictureOf(c, 0), 'image/png 400×300, shown 50×38');
  assert.equal(await pictureOf(d, 0), 'image/svg+xml null×null, shown null');
  assert.equal(d?.pictures[0]?.sizeBytes, 41);

  const { id } = await bench.execute(files, { steps });
  await bench.ended(id);
  const result = bench.outputs().find(({ path }) => path === 'a.webp');
  assert.equal(result?.sizeBytes, written, 'the bytes that a run writes');
});

forAnyDatabase('the result is shown as the written file is: JPEG without transparency', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const clear = { width: 64, height: 64, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } } as const;
  const png = await sharp({ create: clear }).png().toBuffer();
  const files = [await bench.put('a.png', png)];
  const shades = [
    ['#ffffff', {}],
    ['#0000ff', { background: '#0000ff' }],
  ] as const;
  for (const [colour, params] of shades) {
    const [sample] = await preview(bench, files, [step('image-converter', { format: 'JPEG', ...params })], 64);
    const [before, after] = sample?.pictures ?? [];
    assert.equal(sample?.texts[0]?.picture, 1);
    const shown = await sharp(thumbnailOf(after)).metadata();
    assert.equal(shown.hasAlpha, false, 'a JPEG has no transparency');
    assert.equal((await sharp(thumbnailOf(before)).metadata()).hasAlpha, true);
    const [red = 0, green = 0, blue = 0] = await sharp(thumbnailOf(after)).raw().toBuffer();
    assert.ok(Math.abs(red - (colour === '#ffffff' ? 255 : 0)) < 8, `${colour}: ${red}`);
    assert.ok(Math.abs(green - (colour === '#ffffff' ? 255 : 0)) < 8, `${colour}: ${green}`);
    assert.ok(Math.abs(blue - 255) < 8, `${colour}: ${blue}`);
  }
});

forAnyDatabase('steps that read the bytes alone show pictures; without a side there are none', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const { bytes } = await makePicture('PNG 64×48');
  const files = [await bench.put('a.png', bytes), await bench.put('b.png', bytes), await bench.put('c.txt', 'text')];
  const steps = [step('file-deduplicator')];
  const [a, b, c] = await preview(bench, files, steps, 32);
  assert.equal(await pictureOf(a, a?.texts[0]?.picture), 'image/png 64×48, shown 32×24');
  assert.equal(b?.verdict, 'DROPPED');
  assert.equal(await pictureOf(b, b?.steps[0]?.before.picture), 'image/png 64×48, shown 32×24');
  assert.deepEqual(c?.pictures, []);
  for (const sample of await preview(bench, files, steps)) {
    assert.deepEqual(sample.pictures, []);
    assert.ok(sample.steps.every(({ before }) => !('picture' in before)));
  }
});

forAnyDatabase('a sample of a run shows its pictures again', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [await bench.put('a.png', (await makePicture('PNG 2000×1000')).bytes)];
  const { id } = await bench.execute(files, { steps: [step('image-grayscaler')] });
  const run = await bench.ended(id);
  const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 10 });
  const found = await bench.engine.findSample(run, entries[0]?.sampleId ?? '');
  assert.ok(found);
  const sample = await bench.engine.traceSample(run, found);
  assert.equal(await pictureOf(sample, 0), 'image/png 2000×1000, shown 640×320');
  assert.equal(await pictureOf(sample, sample?.texts[0]?.picture), 'image/png 2000×1000, shown 640×320');
  assert.equal(sample?.pictures[1]?.sizeBytes, bench.outputs()[0]?.sizeBytes);
});

test('after so many bytes of thumbnails, only the facts are told', async () => {
  const media = await Promise.all(['PNG 64×48', 'PNG 64×48, other'].map((words) => makePicture(words)));
  const pictures = createPreviewPictures({ side: 32, bytes: 1, ms: 1e6 }, { batch: () => {} });
  for (const [ordinal, one] of media.entries())
    pictures.numberOf(ordinal, { text: '', source: { media: () => [one] } });
  await pictures.shrink();
  const [first, second] = [...pictures.of(0), ...pictures.of(1)];
  assert.notEqual(first?.thumbnail, null);
  assert.deepEqual(
    { ...second },
    { type: 'image/png', width: 64, height: 48, frames: 1, sizeBytes: media[1]?.bytes.length, thumbnail: null },
  );
});

test('bytes that can be read again are forgotten when a sample is through', async () => {
  const { type, bytes } = await makePicture('PNG 64×48');
  let released = 0;
  const media = { type, bytes, release: () => (released += 1) };
  const source = { media: () => [media] };
  const pictures = createPreviewPictures({ side: 32, bytes: 1e6, ms: 1e6 }, { batch: () => {} });
  assert.equal(pictures.numberOf(0, { text: '', source }), 0);
  const judgement = { verdict: 'KEPT', texts: [''], step: null, reason: null, scores: null } as const;
  await pictures.end(0, source, judgement);
  assert.equal(released, 1);
  assert.deepEqual(pictures.resultsOf(0), [0]);
});
