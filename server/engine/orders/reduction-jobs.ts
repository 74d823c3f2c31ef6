import type { Reason } from '../../kernel/sentences/index.ts';
/** `notes` are messages of the operator for the log of the run. */
export type Reduction = { count: number; dropped: number; notes: { message: Reason; level: 'INFO' | 'WARN' }[] };

/**
 * How a set step compares: numbers of keys and words per sample, and whether it compares only pairs that share a key.
 */
export type SetKeys = { keys: number; words: number; isByPairs: boolean; about?: Reason };
