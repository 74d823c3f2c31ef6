import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionAt, sectionOfPage, sectionsOf, segmentsOf } from './document-sections.ts';

const chunk = (chunkId: string, start: number, end: number) => ({ chunkId, start, end, page: null, headings: [] });

test('a document with pages has a section for each, also for those without text', () => {
  const pages = [
    { page: 1, start: 0, end: 10 },
    { page: 3, start: 12, end: 20 },
  ];
  assert.deepEqual(sectionsOf({ length: 20, pages, chunks: [] }, 4), [
    { page: 1, part: 1, parts: 1, start: 0, end: 12, isBlank: false },
    { page: 2, part: 1, parts: 1, start: 12, end: 12, isBlank: true },
    { page: 3, part: 1, parts: 1, start: 12, end: 20, isBlank: false },
    { page: 4, part: 1, parts: 1, start: 20, end: 20, isBlank: true },
  ]);
});

test('one without pages has sections that begin with a chunk and together are the whole text', () => {
  const chunks = Array.from({ length: 100 }, (_, at) => chunk(`1-${at}`, at * 900, at * 900 + 950));
  const sections = sectionsOf({ length: 90_050, pages: [], chunks }, null);
  assert.ok(sections.length > 3);
  assert.equal(sections[0]?.start, 0);
  assert.equal(sections.at(-1)?.end, 90_050);
  for (const [index, { start }] of sections.entries()) {
    assert.equal(start % 900, 0);
    if (index > 0) assert.equal(start, sections[index - 1]?.end);
  }
  assert.equal(sectionAt(sections, sections[2]?.start ?? 0), 2);
  assert.equal(sectionAt(sections, 1_000_000), sections.length - 1);
  assert.deepEqual(sectionsOf({ length: 0, pages: [], chunks: [] }, null), [
    { page: null, part: 1, parts: 1, start: 0, end: 0, isBlank: false },
  ]);
});

test('a page that is too long to be shown at once has parts, also where no chunk starts', () => {
  const pages = [
    { page: 1, start: 0, end: 100 },
    { page: 2, start: 100, end: 90_000 },
    { page: 3, start: 90_000, end: 90_100 },
  ];
  const chunks = Array.from({ length: 10 }, (_, at) => chunk(`1-${at}`, at * 3_000, at * 3_000 + 3_000));
  const sections = sectionsOf({ length: 90_100, pages, chunks }, 3);
  assert.deepEqual(
    sections.map(({ page, part, parts, start }) => [page, part, parts, start]),
    [
      [1, 1, 1, 0],
      [2, 1, 4, 100],
      [2, 2, 4, 21_000],
      [2, 3, 4, 41_000],
      [2, 4, 4, 61_000],
      [3, 1, 1, 90_000],
    ],
  );
  for (const [at, { start }] of sections.entries()) if (at > 0) assert.equal(sections[at - 1]?.end, start);
  assert.equal(sectionOfPage(sections, 3), sections.length - 1);
  assert.equal(sectionOfPage(sections, 2), 1);
});

test('segments cover a section, and tell which chunks each belongs to', () => {
  const chunks = [chunk('a', 0, 6), chunk('b', 4, 9), chunk('c', 12, 14)];
  assert.deepEqual(segmentsOf({ start: 2, end: 13 }, chunks), [
    { start: 2, end: 4, chunks: [0] },
    { start: 4, end: 6, chunks: [0, 1] },
    { start: 6, end: 9, chunks: [1] },
    { start: 9, end: 12, chunks: [] },
    { start: 12, end: 13, chunks: [2] },
  ]);
});
