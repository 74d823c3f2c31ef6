// `npm run docs` writes the pages that are made from the code; `npm run docs:check` fails when one of them is out of date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderApi, renderErrors, renderOperators, renderSettings } from './documentation.ts';
import { renderClientTypes } from './openapi/client-types.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/api.json': renderApi,
  'docs/errors.md': renderErrors,
  'docs/operators.md': renderOperators,
  'docs/settings.md': renderSettings,
  // After the document that it is made from.
  'web/api/schema.ts': async () => renderClientTypes((await readPage('docs/api.json')) ?? ''),
};

const checkOnly = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, render] of Object.entries(pages)) {
  const content = await render();
  if ((await readPage(path)) === content) continue;
  stale.push(path);
  if (checkOnly) continue;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
if (checkOnly && stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run docs and commit what it writes.\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(stale.length === 0 ? 'The pages are up to date.\n' : `Wrote ${stale.join(', ')}.\n`);
}

async function readPage(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
