// Files of the web application that nobody reads or edits: generated when their sources have changed, and not committed.
import { join } from 'node:path';
import { checkout, installFolder } from './bootstrap.mjs';
import { digestOf, listFiles, makeCurrent } from './current-build.mjs';

/** The types of the API, used by checks and editors. */
export const apiTypes = 'web/api/schema.ts';
/** The Chinese texts that operators declare, used by the pages. */
export const operatorTexts = 'web/messages/zh/operator-texts.ts';

const thisFile = 'scripts/generated-files.mjs';
const openApi = 'scripts/openapi';

/** Each named schema becomes a type of that name at the top level. */
const typeFlags = [
  '--default-non-nullable=false',
  '--root-types',
  '--root-types-no-schema-prefix',
  '--root-types-keep-casing',
];

/**
 * Updates all of them; a second call only hashes their sources. Throws an InstallError whose message says what failed.
 * @param {string} node the Node that runs the generators
 */
export async function makeGeneratedFiles(node) {
  await makeOperatorTexts(node);
  await makeApiTypes(node);
}

/** Updates the one that the pages load. */
export async function makeOperatorTexts(node) {
  const program = 'scripts/operator-texts.mjs';
  const sources = listFiles(join(checkout, 'server/operators'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `server/operators/${path}`);
  await makeCurrent({
    name: 'the Chinese texts of operators',
    ...placeOf(operatorTexts),
    digest: digestOf([...sources, program, thisFile]),
    command: [node, program, operatorTexts],
  });
}

async function makeApiTypes(node) {
  const document = 'docs/api.json';
  const generator = join(openApi, 'node_modules/openapi-typescript/bin/cli.js');
  await makeCurrent({
    name: 'the types of the API',
    ...placeOf(apiTypes),
    digest: digestOf([document, `${openApi}/package-lock.json`, thisFile]),
    command: [node, generator, document, '-o', apiTypes, ...typeFlags],
    prepare: () => installFolder(join(checkout, openApi), 'Installing the generator of the types of the API'),
  });
}

function placeOf(path) {
  const end = path.lastIndexOf('/');
  return { output: join(checkout, path.slice(0, end)), files: [path.slice(end + 1)] };
}
