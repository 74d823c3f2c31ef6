import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResidentThread } from './resident-thread.ts';

test('a thread that is closed among searches ends after the one it is at, without the process', async () => {
  const [dimensions, rows] = [64, 250];
  const vector = (seed: number): Float32Array =>
    Float32Array.from({ length: dimensions }, (_, at) => Math.sin(seed * at));
  const vectors = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row += 1) vectors.set(vector(row + 1), row * dimensions);
  for (let round = 0; round < 5; round += 1) {
    const thread = createResidentThread();
    await thread.create('a', dimensions, 'GRAPH');
    const ordinals = Int32Array.from({ length: rows }, (_, at) => at);
    await thread.add('a', { units: new Int32Array(rows).fill(1), ordinals, vectors: vectors.slice() });
    const searches = Array.from({ length: 50 }, (_, at) => thread.find('a', { vector: vector(at + 0.5), limit: 200 }));
    const outcomes = Promise.allSettled(searches);
    await searches[0];
    await thread.close();
    for (const outcome of await outcomes)
      if (outcome.status === 'fulfilled') assert.equal(outcome.value.units.length, 200);
      else assert.match(String(outcome.reason), /has ended/);
    await assert.rejects(thread.find('a', { vector: vector(1), limit: 1 }), /has ended/);
  }
});
