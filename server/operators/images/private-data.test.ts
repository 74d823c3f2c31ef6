import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { operatorOf, outcomeOf, paramsOf } from '../../../tests/support/picture-outcomes.ts';
import { makePicture } from '../../../tests/support/pictures.ts';
import { animated, makeChunk, withChunks } from '../../../tests/support/png-chunks.ts';
import { noEffects } from '../../../tests/support/model-effects.ts';
import { isBatchOperator, type Media } from '../index.ts';

const person = 'Jane Roe';
const text = Buffer.from(person);

function inserted(bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]));
}

/** A segment of a JPEG. */
function segment(marker: number, data: string): Buffer {
  const body = Buffer.from(data, 'latin1');
  return Buffer.concat([Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff]), body]);
}

/** Appends a chunk to a WebP and announces it in the file's header. */
function withWebpChunk(webp: Uint8Array, name: string): Uint8Array {
  const made = Buffer.concat([webp, Buffer.from(name), Buffer.from([text.length, 0, 0, 0]), text]);
  made.writeUInt32LE(made.length - 8, 4);
  return new Uint8Array(made);
}

const gpsDirectory = 34853;

/** Adds a tag to a TIFF; the tag's text and the directory move to the end of the file. */
function withTiffTag(tiff: Uint8Array, tag: number): Uint8Array {
  const bytes = Buffer.from(tiff);
  const start = bytes.readUInt32LE(4);
  const count = bytes.readUInt16LE(start);
  const entries = Array.from({ length: count }, (_, at) => bytes.subarray(start + 2 + 12 * at, start + 14 + 12 * at));
  const entry = Buffer.alloc(12);
  entry.writeUInt16LE(tag, 0);
  const isOffset = tag === gpsDirectory;
  entry.writeUInt16LE(isOffset ? 4 : 2, 2);
  entry.writeUInt32LE(isOffset ? 1 : text.length + 1, 4);
  entry.writeUInt32LE(bytes.length, 8);
  const sorted = [...entries, entry].toSorted((one, other) => one.readUInt16LE(0) - other.readUInt16LE(0));
  const counted = Buffer.alloc(2);
  counted.writeUInt16LE(count + 1);
  bytes.writeUInt32LE(bytes.length + text.length + 2, 4);
  return new Uint8Array(Buffer.concat([bytes, text, Buffer.alloc(2), counted, ...sorted, Buffer.alloc(4)]));
}

const program = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('XMP DataXMP'), Buffer.from([8]), text]);
const gifParts: Record<string, Buffer> = {
  'a comment': Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.alloc(1)]),
  XMP: Buffer.concat([program, Buffer.alloc(1)]),
};

type Case = [title: string, words: string, change: (bytes: Uint8Array) => Uint8Array];
const cases: readonly Case[] = [
  ['a comment', 'JPEG 64×48', (bytes) => inserted(bytes, 2, segment(0xfe, person))],
  ['data of a program', 'JPEG 64×48', (bytes) => inserted(bytes, 2, segment(0xe9, person))],
  ['IPTC', 'JPEG 64×48', (bytes) => inserted(bytes, 2, segment(0xed, `Photoshop 3.0\0${person}`))],
  ['a film behind it', 'JPEG 64×48', (bytes) => inserted(bytes, bytes.length, text)],
  ...['tEXt', 'iTXt', 'zTXt', 'eXIf', 'prVt'].flatMap((name): Case[] => [
    [`${name} before the pixels`, 'PNG 64×48', (bytes) => withChunks(bytes, [makeChunk(name, text)])],
    [`${name} behind the pixels`, 'PNG 64×48', (bytes) => withChunks(bytes, [], [makeChunk(name, text)])],
  ]),
  ['bytes behind it', 'PNG 64×48', (bytes) => inserted(bytes, bytes.length, text)],
  ...Object.entries(gifParts).map(([title, part]): Case => [
    title,
    'GIF 64×48',
    (b) => inserted(b, b.indexOf(0x2c, 781), part),
  ]),
  ['bytes behind it', 'GIF 64×48, 3 frames', (bytes) => inserted(bytes, bytes.length, text)],
  ['XMP', 'WEBP 64×48, 3 frames', (bytes) => withWebpChunk(bytes, 'XMP ')],
  ['an unknown chunk', 'WEBP 64×48, 3 frames', (bytes) => withWebpChunk(bytes, 'abcd')],
  ['bytes behind it', 'WEBP 64×48', (bytes) => inserted(bytes, bytes.length, text)],
  ['an artist', 'TIFF 64×48', (bytes) => withTiffTag(bytes, 315)],
  ['a GPS directory', 'TIFF 64×48', (bytes) => withTiffTag(bytes, gpsDirectory)],
  ['bytes behind it', 'AVIF 64×48', (bytes) => inserted(bytes, bytes.length, text)],
];

for (const [title, words, change] of cases) {
  test(`image-metadata-remover: ${title} of ${words} goes, and nothing else`, async () => {
    const plain = await makePicture(words);
    const media = { type: plain.type, bytes: change(plain.bytes) };
    assert.ok(Buffer.from(media.bytes).includes(person));
    const made = await outcomeOf('image-metadata-remover', {}, media);
    assert.ok('bytes' in made);
    assert.ok(!Buffer.from(made.bytes).includes(person));
    if (plain.type === 'image/avif') {
      assert.equal((await sharp(made.bytes).metadata()).width, 64);
    } else {
      const pixelsOf = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes, { animated: true }).raw().toBuffer();
      assert.deepEqual(await pixelsOf(made.bytes), await pixelsOf(plain.bytes));
    }
    assert.equal(await outcomeOf('image-metadata-remover', {}, made), made);
  });
}

for (const words of ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'AVIF']) {
  test(`image-metadata-remover: a ${words} with nothing of the kind stays to the byte`, async () => {
    const media = await makePicture(`${words} 64×48`);
    assert.equal(await outcomeOf('image-metadata-remover', {}, media), media);
  });
}

test('image-metadata-remover keeps the frames of an animated PNG, its colour profile and its resolution', async () => {
  const { bytes } = await makePicture('PNG 64×48');
  const whole = await sharp(bytes).withIccProfile('p3').withMetadata({ density: 300 }).png().toBuffer();
  const media = { type: 'image/png', bytes: withChunks(animated(whole, 3), [makeChunk('tEXt', text)]) };
  const made = await outcomeOf('image-metadata-remover', {}, media);
  assert.ok('bytes' in made);
  const names = ['acTL', 'fcTL', 'iCCP', 'pHYs'].filter((name) => Buffer.from(made.bytes).includes(name));
  assert.deepEqual(names, ['acTL', 'fcTL', 'iCCP', 'pHYs']);
});

test('image-metadata-remover after another step leaves no text of a PNG', async () => {
  const { bytes } = await makePicture('PNG 64×48');
  let media: Media = {
    type: 'image/png',
    bytes: withChunks(bytes, [makeChunk('tEXt', Buffer.from(`Author\0${person}`))]),
  };
  for (const [id, given] of [
    ['image-resizer', { width: 32, height: 32 }],
    ['image-metadata-remover', {}],
  ] as const) {
    const operator = operatorOf(id);
    assert.ok(isBatchOperator(operator));
    const [outcome] = await operator
      .batch(paramsOf(operator, given), noEffects())
      .run([{ media: [media] }], new AbortController().signal);
    media = (outcome !== undefined && 'media' in outcome ? outcome.media?.[0] : undefined) ?? media;
  }
  assert.ok(media.encode !== undefined);
  assert.ok(!Buffer.from(await media.encode()).includes(person));
});
