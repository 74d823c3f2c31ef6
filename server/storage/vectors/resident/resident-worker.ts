// Keeps vectors in memory and searches them, outside the event loop.
import { workerData } from 'node:worker_threads';
import { answerRequests } from '../../../processes/answer-requests.ts';
import { createFlatVectors } from './flat-vectors.ts';
import { createGraph } from './graph.ts';
import type { FoundRows, ResidentVectors, ResidentWork } from './resident-protocol.ts';

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

answerRequests((work: ResidentWork) => {
  if (Atomics.load(workerData as Int32Array, 0) > 0) process.exit();
  return answer(work);
});
