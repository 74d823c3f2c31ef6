import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf, fits } from './fitting-operators.ts';

type FileTypes = Parameters<typeof contentsOf>[0];

function holding(...types: [fileType: string, kind: FileTypes[number]['kind'], files?: number][]) {
  return contentsOf(types.map(([fileType, kind, files = 1]) => ({ fileType, kind, files, sizeBytes: 1 })));
}

const operators = [
  { modality: 'TEXT', reads: ['text'], writes: ['text'] },
  { modality: 'TEXT', reads: ['columns'], writes: ['columns'] },
  { modality: 'IMAGE', reads: ['media'], writes: ['media'] },
  { modality: 'ANY', reads: ['media'], writes: [] },
  { modality: 'ANY', reads: [], writes: [] },
] as const;

for (const [title, held, expected] of [
  ['pictures', holding(['jpg', 'MEDIA'], ['png', 'MEDIA']), [false, false, true, true, true]],
  ['texts', holding(['txt', 'TEXT']), [true, false, false, false, true]],
  ['tables', holding(['csv', 'TABLE']), [true, true, false, false, true]],
  ['a mixture', holding(['csv', 'TABLE'], ['png', 'MEDIA']), [true, true, true, true, true]],
  ['what a compressed file may hold', holding(['gz', 'COMPRESSED']), [true, true, false, false, true]],
  ['recordings', holding(['mp3', 'MEDIA']), [false, false, false, true, true]],
  ['no file of a type', holding(['csv', 'TABLE', 0], ['png', 'MEDIA']), [false, false, true, true, true]],
  ['nothing that is known', holding(['exe', 'UNSUPPORTED']), [true, true, true, true, true]],
] as const) {
  test(`steps for ${title}`, () => {
    const found = operators.map(({ modality, reads, writes }) =>
      fits({ modality, reads: [...reads], writes: [...writes] }, held),
    );
    assert.deepEqual(found, [...expected]);
  });
}
