import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  columnsAt,
  heightOf,
  isScaled,
  mostOffset,
  offsetAt,
  offsetToShow,
  scrollTopAt,
  tallestPixels,
  windowAt,
} from './row-window.ts';

test('a pixel is a pixel as long as a browser can lay out all rows', () => {
  const space = { count: 1_000, rowHeight: 32, viewHeight: 640 };
  assert.equal(heightOf(space), 32_000);
  assert.equal(offsetAt(space, 777), 777);
  assert.equal(scrollTopAt(space, 777), 777);
  assert.deepEqual(windowAt(space, 320, 0), { first: 10, end: 31 });
  assert.deepEqual(windowAt(space, 31_360, 5), { first: 975, end: 1_000 });
});

test('the last of 100 million rows can be reached, and each place is found again', () => {
  const space = { count: 100_000_000, rowHeight: 32, viewHeight: 640 };
  assert.ok(isScaled(space));
  assert.equal(heightOf(space), tallestPixels);
  assert.equal(offsetAt(space, tallestPixels - 640), mostOffset(space));
  assert.equal(windowAt(space, mostOffset(space), 0).end, 100_000_000);
  for (const offset of [0, 32, 1_234_567_890, mostOffset(space)])
    assert.ok(Math.abs(offsetAt(space, scrollTopAt(space, offset)) - offset) < 1, String(offset));
});

test('a row is brought into view with as little movement as possible', () => {
  const space = { count: 100, rowHeight: 10, viewHeight: 50 };
  assert.equal(offsetToShow(space, 200, 22), 200);
  assert.equal(offsetToShow(space, 200, 3), 30);
  assert.equal(offsetToShow(space, 200, 30), 260);
});

test('only columns in view are drawn', () => {
  assert.deepEqual(columnsAt([100, 100, 100, 100], 0, 150), { first: 0, end: 2, before: 0 });
  assert.deepEqual(columnsAt([100, 100, 100, 100], 150, 250), { first: 1, end: 3, before: 100 });
  assert.deepEqual(columnsAt([], 0, 250), { first: 0, end: 0, before: 0 });
});
