import type { Verdict, Step } from '../../orders/steps.ts';
import { noCode, operatorOf, type LedgerFilter } from '../../orders/ledger-entry.ts';
import type { VerdictCount } from '../../orders/shard.ts';

/** The counts of the samples of each shard of a run. */
export type ShardCounts = readonly { shardNo: number; verdicts: readonly VerdictCount[] }[];

function hasReason(verdict: Verdict): boolean {
  return verdict !== 'KEPT' && verdict !== 'CHANGED';
}

/** Whether the counts include reasons, which runs of earlier versions did not record. */
export function areCoded(counts: ShardCounts): boolean {
  return counts.every(({ verdicts }) =>
    verdicts.every(({ verdict, code }) => code !== undefined || !hasReason(verdict)),
  );
}

/** Number of matching samples of a shard, by its counts: covers all filters except path, row and search. */
export function countMatches(verdicts: readonly VerdictCount[], steps: readonly Step[], filter: LedgerFilter): number {
  let sum = 0;
  for (const { verdict, step, code, count } of verdicts) {
    if (filter.verdict !== undefined && verdict !== filter.verdict) continue;
    if (filter.reasonCode !== undefined && (hasReason(verdict) ? (code ?? noCode) : null) !== filter.reasonCode)
      continue;
    if (filter.operatorId === undefined || operatorOf(steps, step) === filter.operatorId) sum += count;
  }
  return sum;
}
