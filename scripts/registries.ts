import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Registry = {
  /** What declares an entry. */
  declaration: RegExp;
  /** Name and file of the type, and of the list. */
  type: string;
  file: string;
  list: string;
  words: string;
};

/** The source of `server/operators/registry.ts`. */
export function renderOperatorRegistry(directory: string): Promise<string> {
  return renderRegistry(directory, {
    declaration: /^export const (\w+) = define(?:Set)?Operator\(/m,
    type: 'Operator',
    file: './operator.ts',
    list: 'operators',
    words: 'The built-in operators.',
  });
}

/** The source of `server/connectors/registry.ts`. */
export function renderConnectorRegistry(directory: string): Promise<string> {
  return renderRegistry(directory, {
    declaration: /^export const (\w+) = defineConnector\(/m,
    type: 'Connector',
    file: './connector.ts',
    list: 'connectors',
    words: 'The connectors.',
  });
}

/** Everything that a file of the folder declares, in the order of the file names. */
async function renderRegistry(directory: string, { declaration, type, file, list, words }: Registry): Promise<string> {
  const found: { name: string; file: string }[] = [];
  for (const file of (await readdir(directory)).toSorted()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const name = declaration.exec(await readFile(join(directory, file), 'utf8'))?.[1];
    if (name !== undefined) found.push({ name, file });
  }
  const names = found.map(({ name }) => name);
  const head = `export const ${list}: readonly ${type}[] = [`;
  const line = `${head}${names.join(', ')}];`;
  return [
    '// Made from the files of this folder by `npm run docs`; do not edit.',
    ...found.map(({ name, file }) => `import { ${name} } from './${file}';`),
    `import type { ${type} } from '${file}';`,
    '',
    `/** ${words} */`,
    // As the formatter writes it.
    ...(line.length <= 120 ? [line] : [head, ...names.map((name) => `  ${name},`), '];']),
    '',
  ].join('\n');
}
