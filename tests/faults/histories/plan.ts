import fc from 'fast-check';

export type ConflictMode = 'REPLACE' | 'RENAME' | 'ERROR';

/** One attempt at one chunk, by this many writers at once; the numbers pick from what exists at that time. */
export type Send = {
  file: number;
  chunk: number;
  writers: number;
  kind: 'good' | 'other-bytes' | 'bad-checksum' | 'cut';
  checksum: 'none' | 'crc32' | 'md5' | 'sha1' | 'sha256';
  fileFirst: boolean;
  /** Fraction of a body that is sent before it is cut off. */
  part: number;
};

export type FilePlan = { name: number; sizes: readonly number[] };

export type Step =
  | { kind: 'begin'; mode: ConflictMode; withPrefix: boolean; announced: boolean; files: readonly FilePlan[] }
  | { kind: 'burst'; upload: number; sends: readonly Send[] }
  | { kind: 'rest'; upload: number; order: number }
  | { kind: 'whole'; mode: ConflictMode; files: readonly { name: number; size: number }[] }
  | { kind: 'shared'; size: number }
  | { kind: 'status'; upload: number }
  | { kind: 'abandon'; upload: number }
  | { kind: 'rename'; file: number; name: number }
  | { kind: 'remove'; file: number; purge: boolean }
  | { kind: 'folder'; name: number; removed: boolean };

/** All steps on one dataset: each client runs its steps one after the other, all clients at the same time. */
export type History = { clients: readonly (readonly Step[])[]; finished: boolean };

/** Names that collide, nest, and exclude each other (a file and a folder). */
export const names = ['a.txt', 'b.bin', 'sub/c.json', 'sub/d.txt', 'sub', 'a (1).txt'] as const;

const modes = fc.constantFrom<ConflictMode>('REPLACE', 'REPLACE', 'RENAME', 'ERROR');
const name = fc.nat(names.length - 1);

/** Sizes around the limits of memory buffers, blocks, packs and own files. */
const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 1, 700, 4095, 4096, 5_000, 12_288) },
  { weight: 3, arbitrary: fc.constantFrom(65_535, 65_537, 70_000) },
  { weight: 1, arbitrary: fc.constantFrom(600_000, 1_100_000) },
);

const chunkSizes = fc.oneof(
  { weight: 1, arbitrary: fc.constant([0]) },
  { weight: 2, arbitrary: sizes.map((size) => [size]) },
  {
    weight: 6,
    arbitrary: fc
      .record({ size: sizes, count: fc.integer({ min: 1, max: 5 }), part: fc.double({ min: 0, max: 1, noNaN: true }) })
      .map(({ size, count, part }) => [...Array.from({ length: count }, () => size), Math.floor(size * part)]),
  },
  { weight: 2, arbitrary: fc.array(sizes, { minLength: 1, maxLength: 5 }) },
);

const send: fc.Arbitrary<Send> = fc.record({
  file: fc.nat(2),
  chunk: fc.nat(5),
  writers: fc.constantFrom(1, 1, 1, 2, 3, 16),
  kind: fc.constantFrom<Send['kind']>('good', 'good', 'good', 'good', 'other-bytes', 'bad-checksum', 'cut'),
  checksum: fc.constantFrom<Send['checksum']>('none', 'none', 'crc32', 'md5', 'sha1', 'sha256'),
  fileFirst: fc.boolean(),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

const upload = fc.nat(2);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      mode: modes,
      withPrefix: fc.boolean(),
      announced: fc.boolean(),
      files: fc.array(fc.record({ name, sizes: chunkSizes }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('burst' as const),
      upload,
      sends: fc.array(send, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rest' as const), upload, order: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('whole' as const),
      mode: modes,
      files: fc.array(fc.record({ name, size: sizes }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('shared' as const), size: sizes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('status' as const), upload }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abandon' as const), upload }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), file: fc.nat(5), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), file: fc.nat(5), purge: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), name, removed: fc.boolean() }) },
);

export const historyPlans: fc.Arbitrary<History> = fc.record({
  clients: fc.array(fc.array(step, { minLength: 2, maxLength: 14, size: 'max' }), { minLength: 1, maxLength: 3 }),
  finished: fc.boolean(),
});
