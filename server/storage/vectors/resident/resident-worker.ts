// Keeps vectors in memory and searches them, outside the event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { createFlatVectors } from './flat-vectors.ts';
import { createGraph } from './graph.ts';
import type { FoundRows, ResidentReply, ResidentRequest, ResidentVectors, ResidentWork } from './resident-protocol.ts';

const indexes = new Map<string, ResidentVectors>();

function answer(work: ResidentWork): FoundRows | undefined {
  if (work.kind === 'create') {
    const create = work.search === 'FLAT' ? createFlatVectors : createGraph;
    indexes.set(work.id, create(work.dimensions));
    return undefined;
  }
  const index = indexes.get(work.id);
  if (index === undefined) throw new Error('There are no such vectors');
  switch (work.kind) {
    case 'add':
      index.add(work.rows);
      return undefined;
    case 'remove':
      index.remove(work.units);
      return undefined;
    case 'find':
      return index.find(work.asked);
    case 'drop':
      indexes.delete(work.id);
      return undefined;
  }
}

parentPort?.on('message', ({ call, work }: ResidentRequest) => {
  if (Atomics.load(workerData as Int32Array, 0) > 0) {
    parentPort?.close();
    return;
  }
  const reply: ResidentReply = { call };
  try {
    const found = answer(work);
    if (found !== undefined) reply.found = found;
  } catch (error) {
    reply.problem = String(error);
  }
  parentPort?.postMessage(reply);
});
