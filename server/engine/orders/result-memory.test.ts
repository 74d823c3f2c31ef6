import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteCollector } from '../work/byte-collector.ts';
import { createResultMemories, giveBack } from './result-memory.ts';

test('memory of a result is not written to before it is given back, and is used again then', () => {
  const memories = createResultMemories();
  const first = memories.take();
  const collector = createByteCollector(100, first.output);
  collector.append(Buffer.from('first'));
  const held = collector.take();
  const second = memories.take();
  assert.notEqual(second, first);
  const other = createByteCollector(100, second.output);
  other.append(Buffer.from('other'));
  assert.equal(Buffer.from(held).toString(), 'first');
  giveBack(first.lease);
  const third = memories.take();
  assert.equal(third, first);
  const again = createByteCollector(100, third.output);
  again.append(Buffer.from('third'));
  assert.equal(again.take().buffer, held.buffer);
  assert.ok(held.buffer instanceof SharedArrayBuffer);
  assert.equal(Buffer.from(other.take()).toString(), 'other');
});

test('memory that one result has made large is not kept', () => {
  const memories = createResultMemories();
  const large = memories.take();
  createByteCollector(1, large.output).append(new Uint8Array((16 << 20) + 1));
  giveBack(large.lease);
  assert.equal(memories.take().output.bytes.length, 0);
});

test('a collector without memory of its own keeps what comes', () => {
  const collector = createByteCollector(3);
  for (let part = 0; part < 1000; part += 1) collector.append(Buffer.from(`${part},`));
  assert.equal(Buffer.from(collector.take()).toString(), `${[...Array(1000).keys()].join(',')},`);
});
