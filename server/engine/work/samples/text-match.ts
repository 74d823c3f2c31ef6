import { createByteCollector } from '../byte-collector.ts';
import type { ShardContext } from './shard-context.ts';
import { processPiece, type WorkerResources } from './shard-work.ts';
import type { SearchJob } from '../../orders/search-jobs.ts';

/** The ordinals, in the shard's ledger, of the samples with a text that holds the words, whatever their case. */
export function searchShard(job: SearchJob, { open, progress }: Pick<WorkerResources, 'open' | 'progress'>): number[] {
  const needle = job.words.toLowerCase();
  const holds = (text: string): boolean => text.toLowerCase().includes(needle);
  const found: number[] = [];
  let ordinal = -1;
  const context: ShardContext = {
    job,
    parts: new Set(['text']),
    bytes: createByteCollector(0),
    damaged: () => {},
    describe: () => {},
    skipFile() {
      ordinal += 1;
    },
    sample({ skip, read }) {
      ordinal += 1;
      progress.sample(ordinal);
      if (skip?.() !== undefined) return;
      const sample = read();
      if ('problem' in sample) return;
      if ('texts' in sample ? sample.texts.some(({ text }) => holds(text)) : holds(sample.text)) found.push(ordinal);
    },
  };
  for (const [index, piece] of job.pieces.entries()) processPiece(context, piece, index, open);
  return found;
}
