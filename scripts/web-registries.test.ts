import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findTexts, renderChineseTexts, renderFirstTexts, renderPageTexts, renderWebAreas } from './web-registries.ts';

/** A web application with only these files. */
async function webOf(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const web = await mkdtemp(join(tmpdir(), 'web-'));
  t.after(() => rm(web, { recursive: true }));
  for (const [file, source] of Object.entries(files)) {
    await mkdir(dirname(join(web, file)), { recursive: true });
    await writeFile(join(web, file), source);
  }
  return web;
}

test('texts that a page loads are not loaded with the first page, and all have Chinese ones', async (t) => {
  const web = await webOf(t, {
    'areas/garden/routes.tsx': "await Promise.all([load(), loadPageTexts('garden')]);",
    'messages/en/everywhere.ts': 'export const common = {};',
    'messages/en/garden.ts':
      "import { gardenBeds } from './garden-beds.ts';\nexport const garden = { beds: gardenBeds };",
    'messages/en/garden-beds.ts': 'export const gardenBeds = {};',
    'messages/en/index.ts': 'export const en = {};',
  });
  const texts = await findTexts(web);
  assert.match(
    renderFirstTexts(texts),
    /import \{ common \} from '\.\/everywhere\.ts';\n\n.*\nexport const en = \{\n {2}common,\n\};/,
  );
  assert.match(renderPageTexts(texts), /pageTexts = \{\n {2}garden: \(\) => import\('\.\/en\/garden\.ts'\),\n\};/);
  assert.match(renderPageTexts(texts), /PageTexts = \{\n {2}garden: typeof garden;\n\};/);
  assert.match(renderChineseTexts(texts), /zh = \{\n {2}common,\n {2}garden,\n\};/);
});

test('a file without texts is an error', async (t) => {
  const web = await webOf(t, { 'areas/none.ts': '', 'messages/en/garden.ts': 'const garden = {};' });
  await assert.rejects(findTexts(web), /messages\/en\/garden\.ts exports no texts/);
});

test('areas are listed in the order that they declare, and folders without one are no areas', async (t) => {
  const web = await webOf(t, {
    'areas/apples/index.ts': 'export const apples = {\n  order: 20,\n  routes: appleRoutes,\n};',
    'areas/pears/index.ts': 'export const pears = {\n  order: 10,\n  routes: pearRoutes,\n};',
    'areas/sign-in/routes.tsx': 'export const signInRoute = 1;',
  });
  const source = await renderWebAreas(web);
  assert.match(source, /areas: readonly Area\[\] = \[\n {2}pears,\n {2}apples,\n\];/);
  assert.match(source, /areaRoutes = \[\n {2}\.\.\.pears\.routes,\n {2}\.\.\.apples\.routes,\n\] as const;/);
});
