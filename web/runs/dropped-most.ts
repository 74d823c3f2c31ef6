import type { Run } from '../api/schema.ts';
import { cleaning } from './run-area.ts';

/** Whether a cleaning run dropped more than half of its samples; elsewhere, what is unchanged counts as dropped. */
export function droppedMost(prefix: string, counts: Pick<Run['counts'], 'in' | 'dropped'>): boolean {
  return prefix === cleaning.prefix && counts.dropped * 2 > counts.in;
}
