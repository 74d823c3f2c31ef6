import type { ListedRun } from '../../api/schema.ts';

/** Where a run leads: to its document, or to the settings of the knowledge base whose index it makes; to all of them when that is gone. */
export function addressOfRagRun({ area, taskId, within }: Pick<ListedRun, 'area' | 'taskId' | 'within'>): string {
  if (within === null) return '/knowledge';
  return area === 'rag' ? `/knowledge/${within.id}/documents/${taskId}` : `/knowledge/${within.id}/settings`;
}
