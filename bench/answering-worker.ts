// A fake `worker --stdio`: answers each order after the milliseconds that the order names.
import { setTimeout as pause } from 'node:timers/promises';
import { createObjectLines, readObjects } from '../server/engine/drive/remote/lines.ts';

const write = createObjectLines(process.stdout);
for await (const message of readObjects(process.stdin)) {
  const { id, order } = message as { id: string; order?: { pauseMs?: number } };
  if (order === undefined) continue;
  if (order.pauseMs !== undefined) await pause(order.pauseMs);
  await write({ id, answer: { kind: 'survived' } });
}
