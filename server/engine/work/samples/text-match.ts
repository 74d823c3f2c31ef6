import { openSampleWalk } from './sample-walk.ts';
import type { WorkerResources } from './shard-work.ts';
import type { SearchJob } from '../../orders/search-jobs.ts';

/** The ordinals, in the shard's ledger, of the samples with a text that contains the words, ignoring case. */
export function searchShard(job: SearchJob, resources: Pick<WorkerResources, 'open' | 'progress'>): number[] {
  const needle = job.words.toLowerCase();
  const holds = (text: string): boolean => text.toLowerCase().includes(needle);
  const found: number[] = [];
  const walk = openSampleWalk(job, resources, {
    parts: new Set(['text']),
    sample({ ordinal }, { read }) {
      const sample = read();
      if ('problem' in sample) return;
      const isMatch = 'texts' in sample ? sample.texts.some(({ text }) => holds(text)) : holds(sample.text);
      // The ledger also has a line for everything skipped.
      if (isMatch) found.push(ordinal + walk.counts.skipped);
    },
  });
  walk.all();
  return found;
}
