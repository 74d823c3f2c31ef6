// `npm run docs` writes the generated files that are committed, and updates the others; `npm run docs:check` fails if a committed one is
// out of date.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeGeneratedFiles } from './generated-files.mjs';
import { renderPythonModels } from './python-client/models.ts';
import { renderPythonOperations } from './python-client/operations.ts';
import {
  renderConnectorRegistry,
  renderMigrations,
  renderOperatorRegistry,
  renderRoutes,
  renderTables,
} from './registries.ts';
import { findTexts, renderChineseTexts, renderFirstTexts, renderPageTexts, renderWebAreas } from './web-registries.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const checkOnly = process.argv.includes('--check');
const stale: string[] = [];

await update('server/operators/registry.ts', () => renderOperatorRegistry(join(root, 'server/operators')));
await update('server/connectors/registry.ts', () => renderConnectorRegistry(join(root, 'server/connectors')));
const database = join(root, 'server/storage/database');
await update('server/storage/database/migrations/index.ts', () => renderMigrations(join(database, 'migrations')));
await update('server/storage/database/schema.ts', () => renderTables(join(database, 'tables')));
for (const area of (await readdir(join(root, 'server/areas'))).toSorted()) {
  // Other areas have all their routes in one file, which is not generated.
  if (!(await readdir(join(root, 'server/areas', area))).some((file) => file.endsWith('-routes.ts'))) continue;
  const path = `server/areas/${area}/routes.ts`;
  await update(path, async () => renderRoutes(join(root, 'server/areas', area), (await readPage(path)) ?? ''));
}
const texts = await findTexts(join(root, 'web'));
await update('web/messages/en/index.ts', () => renderFirstTexts(texts));
await update('web/messages/page-texts.ts', () => renderPageTexts(texts));
await update('web/messages/zh/index.ts', () => renderChineseTexts(texts));
await update('web/areas.ts', () => renderWebAreas(join(root, 'web')));
// Imported late, because they use the operators that have just been registered.
const { renderApi, renderConnectors, renderErrors, renderOperators, renderSettings } =
  await import('./documentation.ts');
await update('docs/api.json', renderApi);
await update('docs/errors.md', renderErrors);
await update('docs/operators.md', renderOperators);
await update('docs/connectors.md', renderConnectors);
await update('docs/settings.md', renderSettings);
const python = 'clients/python/src/tilth';
await update(`${python}/models.py`, async () => renderPythonModels((await readPage('docs/api.json')) ?? ''));
await update(`${python}/operations.py`, async () => renderPythonOperations((await readPage('docs/api.json')) ?? ''));
if (!checkOnly) await makeGeneratedFiles(process.execPath);

if (checkOnly && stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run docs and commit the result.\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(stale.length === 0 ? 'All generated files are up to date.\n' : `Wrote ${stale.join(', ')}.\n`);
}

async function update(path: string, render: () => string | Promise<string>): Promise<void> {
  const content = await render();
  if ((await readPage(path)) === content) return;
  stale.push(path);
  if (checkOnly) return;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function readPage(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
