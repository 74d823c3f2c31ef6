// Made from the files of ../en/ by `npm run docs`; do not edit.
import { auth } from './auth.ts';
import { cleaning } from './cleaning.ts';
import { collection } from './collection.ts';
import { data } from './data.ts';
import { datasets } from './datasets.ts';
import { common } from './everywhere.ts';
import { home } from './home.ts';
import { knowledge } from './knowledge.ts';
import { market } from './market.ts';
import { operators } from './operators.ts';
import { runs } from './runs.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { synthesis } from './synthesis.ts';
import { uploads } from './uploads.ts';
import { viewer } from './viewer.ts';

/** 网页应用的全部中文文字。 */
export const zh = {
  auth,
  cleaning,
  collection,
  data,
  datasets,
  common,
  home,
  knowledge,
  market,
  operators,
  runs,
  settings,
  shell,
  synthesis,
  uploads,
  viewer,
};
