import { useQuery } from '@tanstack/react-query';
import type { Dataset, KnowledgeBase } from '../../api/schema.ts';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { basesQuery } from '../rag/rag-queries.ts';

const refetchMs = 10_000;
const looked = 100;

/** What failed outside of runs: files with errors by dataset, and documents by knowledge base. */
export type FailedContent = {
  /** Whether all of it is known. */
  isKnown: boolean;
  datasets: readonly Dataset[];
  /** Datasets with such files beyond those that are listed. */
  more: number;
  bases: readonly { base: KnowledgeBase; failed: number }[];
};

/** At most `shown` datasets and knowledge bases. */
export function useFailedContent(shown: number): FailedContent {
  const datasets = useQuery({
    ...datasetsQuery({ size: shown, hasErrors: true, sort: 'updatedAt,desc' }),
    refetchInterval: refetchMs,
  });
  const bases = useQuery({ ...basesQuery({ size: looked }), refetchInterval: refetchMs });
  const listed = datasets.data?.content ?? [];
  return {
    isKnown: datasets.data !== undefined && bases.data !== undefined,
    datasets: listed,
    more: (datasets.data?.totalElements ?? 0) - listed.length,
    bases: failedBases(bases.data?.content ?? []).slice(0, shown),
  };
}

/** The knowledge bases with failed documents, those with most first. */
export function failedBases(bases: readonly KnowledgeBase[]): { base: KnowledgeBase; failed: number }[] {
  return bases
    .map((base) => ({ base, failed: base.documentsByStatus['FAILED'] ?? 0 }))
    .filter(({ failed }) => failed > 0)
    .toSorted((one, other) => other.failed - one.failed);
}
