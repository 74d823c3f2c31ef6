import { auth } from './auth.ts';
import { common } from './everywhere.ts';
import { data } from './data.ts';
import { datasets } from './datasets.ts';
import { home } from './home.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';

/**
 * The texts loaded with the first page; those of cleaning, operators, collection, synthesis, knowledge bases, settings, uploads and the
 * viewer are loaded with their pages. The other languages have the same keys.
 */
export const en = {
  auth,
  common,
  data,
  datasets,
  home,
  runs,
  shell,
};
