import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A text or an area: the name that its module exports, and the module's path. */
type Module = { name: string; file: string };

/** The texts of the application: those of the first page, and those that pages load. */
export type Texts = { first: Module[]; late: Module[] };

/**
 * Finds the texts in `messages/en/`. A text that `loadPageTexts` loads somewhere is not loaded with the first page; a
 * file with a hyphen is part of another one.
 */
export async function findTexts(web: string): Promise<Texts> {
  const files = (await readdir(join(web, 'messages/en'))).filter((file) => /^\w+\.ts$/.test(file)).toSorted();
  const loaded = await loadedTexts(web);
  const texts: Texts = { first: [], late: [] };
  for (const file of files) {
    if (file === 'index.ts') continue;
    const source = await readFile(join(web, 'messages/en', file), 'utf8');
    const name = /^export const (\w+) = /m.exec(source)?.[1];
    if (name === undefined) throw new Error(`messages/en/${file} exports no texts`);
    (loaded.has(name) ? texts.late : texts.first).push({ name, file });
  }
  return texts;
}

async function loadedTexts(web: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (const file of await readdir(join(web, 'areas'), { recursive: true })) {
    if (!/\.tsx?$/.test(file)) continue;
    const source = await readFile(join(web, 'areas', file), 'utf8');
    for (const [, name = ''] of source.matchAll(/loadPageTexts\('(\w+)'\)/g)) names.add(name);
  }
  return names;
}

/** The source of `web/messages/en/index.ts`. */
export function renderFirstTexts({ first }: Texts): string {
  return [
    generated('this folder'),
    ...first.map(({ name, file }) => `import { ${name} } from './${file}';`),
    '',
    '/** The texts loaded with the first page; others are loaded with their pages. The other languages have the same keys. */',
    'export const en = {',
    ...first.map(({ name }) => `  ${name},`),
    '};',
    '',
  ].join('\n');
}

/** The source of `web/messages/page-texts.ts`. */
export function renderPageTexts({ late }: Texts): string {
  return [
    generated('en/'),
    ...late.map(({ name, file }) => `import type { ${name} } from './en/${file}';`),
    '',
    '/** English texts that are loaded on demand, so that the first page loads sooner. */',
    'export const pageTexts = {',
    ...late.map(({ name, file }) => `  ${name}: () => import('./en/${file}'),`),
    '};',
    '',
    'export type PageTexts = {',
    ...late.map(({ name }) => `  ${name}: typeof ${name};`),
    '};',
    '',
  ].join('\n');
}

/** The source of `web/messages/zh/index.ts`. */
export function renderChineseTexts({ first, late }: Texts): string {
  const all = [...first, ...late].toSorted((one, other) => (one.file < other.file ? -1 : 1));
  return [
    generated('../en/'),
    ...all.map(({ name, file }) => `import { ${name} } from './${file}';`),
    '',
    '/** 网页应用的全部中文文字。 */',
    'export const zh = {',
    ...all.map(({ name }) => `  ${name},`),
    '};',
    '',
  ].join('\n');
}

/** The source of `web/areas.ts`: every area that declares its `order`. */
export async function renderWebAreas(web: string): Promise<string> {
  const found: (Module & { order: number })[] = [];
  for (const folder of (await readdir(join(web, 'areas'))).toSorted()) {
    const source = await readFile(join(web, 'areas', folder, 'index.ts'), 'utf8').catch(() => '');
    const [, name, order] = /^export const (\w+) = \{\n {2}order: (\d+),$/m.exec(source) ?? [];
    if (name !== undefined) found.push({ name, file: `areas/${folder}/index.ts`, order: Number(order) });
  }
  const areas = found.toSorted((one, other) => one.order - other.order);
  return [
    generated('areas/'),
    ...found.map(({ name, file }) => `import { ${name} } from './${file}';`),
    "import type { Area } from './shell/area.ts';",
    '',
    '/** The areas in the order of the navigation. */',
    'export const areas: readonly Area[] = [',
    ...areas.map(({ name }) => `  ${name},`),
    '];',
    '',
    '/** The routes of all areas. */',
    'export const areaRoutes = [',
    ...areas.map(({ name }) => `  ...${name}.routes,`),
    '] as const;',
    '',
  ].join('\n');
}

function generated(folder: string): string {
  return `// Made from the files of ${folder} by \`npm run docs\`; do not edit.`;
}
