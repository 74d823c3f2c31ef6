import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from './event-reader.ts';

async function eventsOf(...parts: readonly string[]): Promise<unknown[]> {
  const bytes = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(bytes.encode(part));
      controller.close();
    },
  });
  return Array.fromAsync(readEvents(stream));
}

test('events are read however they are cut, and heartbeats are none', async () => {
  const text = ': heartbeat\n\nevent: delta\ndata: {"text":"é"}\n\nevent: done\ndata: {"answer":\ndata: "x"}\n\n';
  const expected = [
    { name: 'delta', data: '{"text":"é"}' },
    { name: 'done', data: '{"answer":\n"x"}' },
  ];
  assert.deepEqual(await eventsOf(text), expected);
  assert.deepEqual(await eventsOf(...text), expected);
  assert.deepEqual(await eventsOf(text.replaceAll('\n', '\r\n')), expected);
  assert.deepEqual(await eventsOf('event: delta\ndata: {"te'), [], 'an event that broke off is none');
});
