import type { ListedRun } from '../../api/schema.ts';

/**
 * The page of a run: its document, or the settings of the knowledge base whose index it builds; the list of knowledge bases if that is
 * gone.
 */
export function addressOfRagRun({ area, taskId, within }: Pick<ListedRun, 'area' | 'taskId' | 'within'>): string {
  if (within === null) return '/knowledge';
  return area === 'rag' ? `/knowledge/${within.id}/documents/${taskId}` : `/knowledge/${within.id}/settings`;
}
