export { ContentUncountable, createContentCounter, type ContentCounter } from './content-counter.ts';
export type { ColumnFacts, ContentFacts, TextFieldFacts } from './content-facts.ts';
export { aspects, createContentTotals, mergeTexts, type ContentTotals } from './content-totals.ts';
