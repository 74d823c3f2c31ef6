import { runSentences } from '../../../kernel/sentences/index.ts';
import { countsOf, RunFailure, type Completion } from '../../../runs/index.ts';
import type { ShardTotals, SourceTotals } from '../queries/shard-totals.ts';

/**
 * Checks that the counts of the run, its shards and its ledger agree and account for every sample; throws RunFailure if
 * not.
 */
export function assertReconciled(
  { run, work }: Completion,
  shards: ShardTotals,
  sources: readonly SourceTotals[],
): void {
  const { counts, skipped } = run;
  const facts: readonly [claim: string, holds: boolean][] = [
    ['every shard is done', shards.done === shards.shards],
    ['every byte was read', work.done === work.total],
    ['in = kept + dropped + failed', counts.in === counts.kept + counts.dropped + counts.failed],
    [
      'in = kept + dropped + failed for each source',
      sources.every((source) => source.count_in === source.count_kept + source.count_dropped + source.count_failed),
    ],
    [
      'the sources add up to the run',
      sources.length === 0 || sources.reduce((sum, { count_in }) => sum + count_in, 0) === counts.in,
    ],
    ['changed is within kept', counts.changed <= counts.kept],
    ['the shards add up to the run', JSON.stringify(counts) === JSON.stringify(countsOf(shards))],
    ['the ledger has a line for each sample and each skipped input', shards.ledger_lines === counts.in + skipped],
  ];
  const broken = facts.filter(([, holds]) => !holds).map(([claim]) => claim);
  if (broken.length === 0) return;
  const what = `${broken.join('; ')} (counts ${JSON.stringify(counts)}, shards ${JSON.stringify(shards)})`;
  throw new RunFailure(runSentences.RUN_DOES_NOT_RECONCILE.reason({ what }));
}
