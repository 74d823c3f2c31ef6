// Imports of the web application keep to its map.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findViolations } from '../support/import-rules.ts';
import { webMap } from './web-map.ts';

test('every file of the web application keeps to its map', () => {
  const paths = globSync('web/**/*.{ts,tsx}', { exclude: ['web/dist/**'] }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  assert.ok(paths.length > 0, 'the test looks for web/ in the folder it is started in');
  assert.deepEqual(findViolations(webMap, new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))), []);
});

test('the map of the web application refuses what belongs to the server and what is nobody else’s', () => {
  const refused: readonly (readonly [path: string, source: string])[] = [
    ['web/api/client.ts', `import type { Dataset } from '../../server/areas/data-management/index.ts';`],
    ['web/api/client.ts', `import { useState } from 'react';`],
    ['web/ui/figures.tsx', `import { datasetQuery } from '../areas/data-management/dataset-queries.ts';`],
    ['web/areas/home/home-page.tsx', `import { DatasetPage } from '../data-management/dataset-page.tsx';`],
    ['web/shell/shell.tsx', `import { dataCleaning } from '../areas/data-cleaning/index.ts';`],
    ['web/runs/run-log.tsx', `import { cleaning } from '../areas/data-cleaning/cleaning-queries.ts';`],
    ['web/areas/home/home-page.tsx', `import { Shell } from '../../shell/shell.tsx';`],
    ['web/areas/settings/users.tsx', `import { readFile } from 'node:fs/promises';`],
    ['web/areas/settings/users.tsx', `import { LineChart } from 'left-pad';`],
    ['web/elsewhere/thing.tsx', ''],
  ];
  for (const [path, source] of refused)
    assert.notDeepEqual(findViolations(webMap, new Map([[path, source]])), [], `${path}: ${source}`);
});
