import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { renderMigrations, renderRoutes, renderTables } from './registries.ts';

/** A folder that contains exactly these files. */
async function folderOf(t: TestContext, name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'registries-'));
  t.after(() => rm(parent, { recursive: true }));
  const folder = join(parent, name);
  await mkdir(folder);
  for (const [file, source] of Object.entries(files)) await writeFile(join(folder, file), source);
  return folder;
}

test('a migration is registered by its file, in the order of the numbers', async (t) => {
  const folder = await folderOf(t, 'migrations', {
    '0002-beds-expand.ts': 'export const createBeds: MigrationStep = async () => {};',
    '0001-seeds.ts': 'export const createSeeds: MigrationStep = async () => {};',
    '0001-seeds.test.ts': 'export const createNothing: MigrationStep = async () => {};',
    'migration-step.ts': 'export type MigrationStep = () => Promise<void>;',
  });
  const source = await renderMigrations(folder);
  assert.match(source, /'0001-seeds': createSeeds,\n {2}'0002-beds-expand': createBeds,\n\};/);
  assert.doesNotMatch(source, /createNothing/);
});

test('the type of a row is the table of its name', async (t) => {
  const folder = await folderOf(t, 'tables', {
    'seed-beds.ts': 'export type SeedBedsTable = { id: string };\nexport type Seed = { id: string };',
  });
  const source = await renderTables(folder);
  assert.match(source, /import type \* as seedBeds from '\.\/tables\/seed-beds\.ts';/);
  assert.match(source, /Tables = \{\n {2}seed_beds: seedBeds\.SeedBedsTable;\n\};/);
});

test('the routes of a new noun come behind those that are there', async (t) => {
  const folder = await folderOf(t, 'kitchen-garden', {
    'bed-routes.ts': 'export function bedRoutes({ beds }: { beds: Beds }): AreaRoutes {}',
    'apple-routes.ts': 'export function appleRoutes({ apples }: { apples: Apples }): AreaRoutes {}',
    'weeds.ts': 'export function weedRoutes() {}',
  });
  const source = await renderRoutes(folder, 'await bedRoutes(nouns)(app);');
  assert.match(source, /await bedRoutes\(nouns\)\(app\);\n {4}await appleRoutes\(nouns\)\(app\);\n {2}\};/);
  assert.match(source, /export function kitchenGardenRoutes\(nouns: KitchenGardenNouns\)/);
  assert.doesNotMatch(source, /weedRoutes/);
  assert.equal(await renderRoutes(folder, source), source);
});
