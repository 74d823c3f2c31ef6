import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPage } from './page.ts';

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
