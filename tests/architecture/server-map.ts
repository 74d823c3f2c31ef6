// The dependency map: which folder may import which, and which packages. A new dependency needs a change of this table.
import type { Row } from '../support/import-rules.ts';
import { areaRows } from './area-rows.ts';
import { engineRows } from './engine-rows.ts';
import { storageRows } from './storage-rows.ts';

/** Imports go down this list, never up; only `app` and the routes of areas may import `http`. */
export const serverMap: readonly Row[] = [...areaRows, ...engineRows, ...storageRows];
