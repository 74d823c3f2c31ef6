import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDirection, parseSort, slicePage, toPage } from './page.ts';

const cases = [
  { what: 'an empty list', page: 0, size: 20, total: 0, pages: 0, first: true, last: true },
  { what: 'the only page', page: 0, size: 20, total: 20, pages: 1, first: true, last: true },
  { what: 'the first of two', page: 0, size: 20, total: 21, pages: 2, first: true, last: false },
  { what: 'the second of two', page: 1, size: 20, total: 21, pages: 2, first: false, last: true },
  { what: 'a page beyond the end', page: 9, size: 20, total: 21, pages: 2, first: false, last: true },
];

for (const { what, page, size, total, pages, first, last } of cases) {
  test(`describes ${what}`, () => {
    assert.deepEqual(toPage([], { page, size }, total), {
      content: [],
      page,
      size,
      totalElements: total,
      totalPages: pages,
      first,
      last,
    });
  });
}

test('cuts a page out of a list in memory', () => {
  const { content, totalElements, last } = slicePage(['a', 'b', 'c', 'd', 'e'], { page: 2, size: 2 });
  assert.deepEqual({ content, totalElements, last }, { content: ['e'], totalElements: 5, last: true });
  assert.deepEqual(slicePage(['a'], { page: 3, size: 2 }).content, []);
});

test('sorts by the column of a field, and by the preset without one', () => {
  const columns = { name: 'name_key', createdAt: 'created_at' } as const;
  const preset = { column: 'created_at', direction: 'desc' } as const;
  assert.deepEqual(parseSort(columns, 'name,desc', preset), { column: 'name_key', direction: 'desc' });
  assert.deepEqual(parseSort(columns, 'createdAt,asc', preset), { column: 'created_at', direction: 'asc' });
  assert.deepEqual(parseSort(columns, undefined, preset), preset);
  assert.deepEqual(parseSort(columns, 'constructor,asc', preset), preset);
});

test('lists the newest first unless the other way is named', () => {
  assert.deepEqual([undefined, 'createdAt,desc', 'createdAt,asc'].map(parseDirection), ['desc', 'desc', 'asc']);
});
