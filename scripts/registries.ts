import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

type Registry = {
  /** Matches the declaration of an entry. */
  declaration: RegExp;
  /** Name and source file of the type, and name of the list. */
  type: string;
  file: string;
  list: string;
  words: string;
};

/** The source of `server/operators/registry.ts`. */
export function renderOperatorRegistry(directory: string): Promise<string> {
  return renderRegistry(directory, {
    declaration: /^export const (\w+) = define(?:(?:Set|Batch)?Operator|ColumnMapper|ImageMapper|ImageFilter)\(/m,
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

/** The source of `server/storage/database/migrations/index.ts`. */
export async function renderMigrations(directory: string): Promise<string> {
  const found = await findDeclarations(directory, /^export const (\w+): MigrationStep = /m);
  return [
    generated,
    ...found.map(({ name, file }) => `import { ${name} } from './${file}';`),
    "import type { MigrationStep } from './migration-step.ts';",
    '',
    '/** The history of the database in order; a released step is never changed, only followed by another. */',
    'export const migrations: Readonly<Record<string, MigrationStep>> = {',
    ...found.map(({ name, file }) => `  '${file.replace('.ts', '')}': ${name},`),
    '};',
    '',
  ].join('\n');
}

/** The source of `server/storage/database/schema.ts`: each `ApiKeysTable` of the folder is the type of the rows of `api_keys`. */
export async function renderTables(directory: string): Promise<string> {
  const files = (await listSources(directory)).map((file) => ({ file, module: camelCase(file.replace('.ts', '')) }));
  const rows: string[] = [];
  for (const { file, module } of files)
    for (const { type, table } of tablesIn(await readFile(join(directory, file), 'utf8')))
      rows.push(`  ${table}: ${module}.${type};`);
  return [
    generated.replace('this folder', 'tables/'),
    ...files.map(({ file, module }) => `import type * as ${module} from './tables/${file}';`),
    '',
    '/** Every table: its name → the type of its rows. */',
    'export type Tables = {',
    ...rows,
    '};',
    '',
  ].join('\n');
}

/** The tables whose row types a file of `tables/` declares. */
export function tablesIn(source: string): { type: string; table: string }[] {
  return [...source.matchAll(/^export type (\w+)Table\b/gm)].map(([, name = '']) => ({
    type: `${name}Table`,
    table: name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
  }));
}

/**
 * The source of an area's `routes.ts`, which combines the routes of its nouns: in the order of the existing file, new ones
 * last.
 */
export async function renderRoutes(directory: string, before: string): Promise<string> {
  const area = basename(directory);
  const found = await findDeclarations(directory, /^export function (\w+Routes)\(/m, /^[\w-]+-routes\.ts$/);
  const placeOf = ({ name }: { name: string }): number => {
    const place = before.indexOf(`await ${name}(nouns)`);
    return place === -1 ? Infinity : place;
  };
  const routes = found.toSorted((one, other) => {
    const [first, second] = [placeOf(one), placeOf(other)];
    return first === second ? 0 : first - second;
  });
  const nouns = `${camelCase(`-${area}`)}Nouns`;
  return [
    generated,
    "import type { AreaRoutes } from '../../http/routes.ts';",
    ...found.map(({ name, file }) => `import { ${name} } from './${file}';`),
    '',
    `export type ${nouns} = ${found.map(({ name }) => `Parameters<typeof ${name}>[0]`).join(' &\n  ')};`,
    '',
    `/** Routes under \`/${area}\`. */`,
    `export function ${camelCase(area)}Routes(nouns: ${nouns}): AreaRoutes {`,
    '  return async (app) => {',
    ...routes.map(({ name }) => `    await ${name}(nouns)(app);`),
    '  };',
    '}',
    '',
  ].join('\n');
}

const generated = '// Made from the files of this folder by `npm run docs`; do not edit.';

/** Everything that files of the folder and its subfolders declare, in the order of the paths. */
async function renderRegistry(directory: string, { declaration, type, file, list, words }: Registry): Promise<string> {
  const found = await findDeclarations(directory, declaration);
  const names = found.map(({ name }) => name);
  const head = `export const ${list}: readonly ${type}[] = [`;
  const line = `${head}${names.join(', ')}];`;
  return [
    generated,
    ...found.map((one) => `import { ${one.name} } from './${one.file}';`),
    `import type { ${type} } from '${file}';`,
    '',
    `/** ${words} */`,
    // As the formatter would write it.
    ...(line.length <= 120 ? [line] : [head, ...names.map((name) => `  ${name},`), '];']),
    '',
  ].join('\n');
}

async function findDeclarations(
  directory: string,
  declaration: RegExp,
  files = /./,
): Promise<{ name: string; file: string }[]> {
  const found: { name: string; file: string }[] = [];
  for (const file of await listSources(directory)) {
    if (!files.test(file)) continue;
    const name = declaration.exec(await readFile(join(directory, file), 'utf8'))?.[1];
    if (name !== undefined) found.push({ name, file });
  }
  return found;
}

async function listSources(directory: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true });
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).toSorted();
}

function camelCase(text: string): string {
  return text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
