import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContentTotals } from './content-totals.ts';

test('images of ever new sizes are all counted, in bounded memory', () => {
  const { add, totals } = createContentTotals();
  const image = (width: number, height: number) => add({ kind: 'IMAGE', width, height, format: 'png' }, 1);
  for (let height = 1; height <= 300; height += 1) for (let width = 1; width <= 400; width += 1) image(width, height);
  for (let more = 0; more < 5; more += 1) image(20, 10);
  for (let more = 0; more < 5; more += 1) image(400, 300);

  const { images } = totals();
  assert.deepEqual(images?.resolutions[0], { width: 20, height: 10, count: 6 });
  const listed = images?.resolutions.reduce((sum, { count }) => sum + count, 0) ?? 0;
  assert.equal(listed + (images?.otherResolutions ?? 0), 120_010);
  // A size that first appears after 100,000 others is not counted by itself.
  assert.ok(images?.resolutions.every(({ width, height }) => width !== 400 || height !== 300));
});
