// Made from the files of this folder by `npm run docs`; do not edit.
import { auth } from './auth.ts';
import { data } from './data.ts';
import { datasets } from './datasets.ts';
import { common } from './everywhere.ts';
import { home } from './home.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';

/** The texts loaded with the first page; others are loaded with their pages. The other languages have the same keys. */
export const en = {
  auth,
  data,
  datasets,
  common,
  home,
  runs,
  shell,
};
