import type { Reason } from '../kernel/sentences/index.ts';
import type { IndexedTable } from '../tables/views/index.ts';
import type { TextFacts } from './content-facts.ts';

export type ContentRequest =
  | { kind: 'text'; text: string }
  | { kind: 'table'; table: IndexedTable; fields: readonly string[] }
  | { kind: 'image'; path: string; offset: number; sizeBytes: number; type: string };

export type ContentAnswer =
  | { texts: TextFacts }
  | { field: string; texts: TextFacts }
  | { image: { width: number; height: number; format: string } }
  | { problem: Reason };

export type ContentLimits = { memoryBytes: number; directory: string };
