// Made from the files of en/ by `npm run docs`; do not edit.
import type { cleaning } from './en/cleaning.ts';
import type { collection } from './en/collection.ts';
import type { knowledge } from './en/knowledge.ts';
import type { market } from './en/market.ts';
import type { operators } from './en/operators.ts';
import type { settings } from './en/settings.ts';
import type { synthesis } from './en/synthesis.ts';
import type { uploads } from './en/uploads.ts';
import type { viewer } from './en/viewer.ts';

/** English texts that are loaded on demand, so that the first page loads sooner. */
export const pageTexts = {
  cleaning: () => import('./en/cleaning.ts'),
  collection: () => import('./en/collection.ts'),
  knowledge: () => import('./en/knowledge.ts'),
  market: () => import('./en/market.ts'),
  operators: () => import('./en/operators.ts'),
  settings: () => import('./en/settings.ts'),
  synthesis: () => import('./en/synthesis.ts'),
  uploads: () => import('./en/uploads.ts'),
  viewer: () => import('./en/viewer.ts'),
};

export type PageTexts = {
  cleaning: typeof cleaning;
  collection: typeof collection;
  knowledge: typeof knowledge;
  market: typeof market;
  operators: typeof operators;
  settings: typeof settings;
  synthesis: typeof synthesis;
  uploads: typeof uploads;
  viewer: typeof viewer;
};
