export { ContentUncountable, createContentCounter, type ContentCounter } from './content-counter.ts';
export type { ContentFacts } from './content-facts.ts';
export { aspects, createContentTotals, mergeTexts, type ContentTotals } from './content-totals.ts';
