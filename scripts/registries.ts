import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operator } from '../server/operators/operator.ts';

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

/** The source of `web/messages/zh/operator-texts.ts`: the Chinese texts that the operators declare. */
export function renderOperatorTexts(operators: readonly Operator[]): string {
  const texts: Record<string, object> = {};
  const sentences: Record<string, string> = {};
  for (const { id, chinese } of operators.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    if (chinese === undefined) continue;
    const { reasons, ...text } = chinese;
    texts[id] = text;
    Object.assign(sentences, reasons);
  }
  return [
    '// Made from the operators by `npm run docs`; do not edit.',
    "import type { OperatorText } from '../operator-texts.ts';",
    '',
    '/** The Chinese texts of the built-in operators, by their ids. */',
    `export const operatorTexts: Readonly<Record<string, OperatorText>> = ${JSON.stringify(texts, undefined, 2)};`,
    '',
    '/** Why operators drop samples, by codes. */',
    `export const operatorSentences: Readonly<Record<string, string>> = ${JSON.stringify(sentences, undefined, 2)};`,
    '',
  ].join('\n');
}

/** Everything that a file of the folder, or of a folder in it, declares, in the order of the paths. */
async function renderRegistry(directory: string, { declaration, type, file, list, words }: Registry): Promise<string> {
  const found: { name: string; file: string }[] = [];
  for (const file of (await readdir(directory, { recursive: true })).toSorted()) {
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
