import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const declaration = /^export const (\w+) = define(?:Set)?Operator\(/m;

/** The source of `server/operators/registry.ts`: every operator that a file of the folder declares, in the order of the file names. */
export async function renderOperatorRegistry(directory: string): Promise<string> {
  const found: { name: string; file: string }[] = [];
  for (const file of (await readdir(directory)).toSorted()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const name = declaration.exec(await readFile(join(directory, file), 'utf8'))?.[1];
    if (name !== undefined) found.push({ name, file });
  }
  return [
    '// Made from the files of this folder by `npm run docs`; do not edit.',
    ...found.map(({ name, file }) => `import { ${name} } from './${file}';`),
    "import type { Operator } from './operator.ts';",
    '',
    '/** The built-in operators. */',
    'export const operators: readonly Operator[] = [',
    ...found.map(({ name }) => `  ${name},`),
    '];',
    '',
  ].join('\n');
}
