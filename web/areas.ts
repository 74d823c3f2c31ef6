// Made from the files of areas/ by `npm run docs`; do not edit.
import { dataCleaning } from './areas/data-cleaning/index.ts';
import { dataCollection } from './areas/data-collection/index.ts';
import { dataManagement } from './areas/data-management/index.ts';
import { dataSynthesis } from './areas/data-synthesis/index.ts';
import { home } from './areas/home/index.ts';
import { operatorMarket } from './areas/operator-market/index.ts';
import { rag } from './areas/rag/index.ts';
import { runs } from './areas/runs/index.ts';
import { settings } from './areas/settings/index.ts';
import type { Area } from './shell/area.ts';

/** The areas in the order of the navigation. */
export const areas: readonly Area[] = [
  home,
  runs,
  dataManagement,
  dataCollection,
  dataCleaning,
  dataSynthesis,
  rag,
  operatorMarket,
  settings,
];

/** The routes of all areas. */
export const areaRoutes = [
  ...home.routes,
  ...runs.routes,
  ...dataManagement.routes,
  ...dataCollection.routes,
  ...dataCleaning.routes,
  ...dataSynthesis.routes,
  ...rag.routes,
  ...operatorMarket.routes,
  ...settings.routes,
] as const;
