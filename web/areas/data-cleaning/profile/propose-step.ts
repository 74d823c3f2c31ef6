import type { HistogramBin, Operator, ProfileScore, ProfileShare } from '../../../api/schema.ts';

/** A step that a bar of a histogram, or a language, proposes. */
export type Proposal = { operatorId: string; params: Record<string, number | string | readonly string[]> };

type Thresholded = Pick<Operator, 'id' | 'thresholds'>;

/**
 * The step that drops the samples beyond a bar, on the side with fewer of them; the bar itself is kept. An operator without
 * thresholds is proposed unchanged.
 */
export function proposalOf(score: ProfileScore, bin: HistogramBin, { id, thresholds }: Thresholded): Proposal {
  const lowest = thresholds.find(({ direction }) => direction === 'min')?.param;
  const highest = thresholds.find(({ direction }) => direction === 'max')?.param;
  const middle = score.quantiles?.p50 ?? 0;
  const isLow = (bin.from + bin.to) / 2 <= middle;
  if (lowest !== undefined && (isLow || highest === undefined)) {
    return { operatorId: id, params: { [lowest]: bin.from } };
  }
  if (highest === undefined) return { operatorId: id, params: {} };
  // Counts in a bar are below its end; shares can come arbitrarily near to it.
  return { operatorId: id, params: { [highest]: score.scale === 'COUNT' ? bin.to - 1 : bin.to } };
}

/** The code of texts whose language could not be determined. */
export const undetermined = 'und';

/** The step that keeps a language and the more common ones, and the share of texts in other languages. */
export function languageProposalOf(
  languages: readonly ProfileShare[],
  index: number,
  { id }: Pick<Operator, 'id'>,
): { proposal: Proposal; dropped: number } {
  const isTold = ({ value }: ProfileShare): boolean => value !== undetermined;
  const kept = languages.slice(0, index + 1).filter(isTold);
  const others = languages.slice(index + 1).filter(isTold);
  return {
    proposal: { operatorId: id, params: { languages: kept.map(({ value }) => value) } },
    dropped: others.reduce((sum, { share }) => sum + share, 0),
  };
}

/** Share of the values in the bars below and above a bar. */
export function sharesBeyond(score: ProfileScore, index: number): { below: number; above: number } {
  const sum = (bins: readonly HistogramBin[]): number => bins.reduce((all, { count }) => all + count, 0);
  const all = Math.max(1, score.count);
  return { below: sum(score.histogram.slice(0, index)) / all, above: sum(score.histogram.slice(index + 1)) / all };
}
