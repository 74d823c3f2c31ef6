import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installFolder } from '../bootstrap.mjs';

const folder = dirname(fileURLToPath(import.meta.url));

/** Each named schema becomes a type of that name at the top of the file. */
const flags = [
  '--default-non-nullable=false',
  '--root-types',
  '--root-types-no-schema-prefix',
  '--root-types-keep-casing',
];

/** The TypeScript types of the API for the web application's client, made from the OpenAPI document. */
export async function renderClientTypes(openApi: string): Promise<string> {
  await installFolder(folder, 'Installing the generator of the web client');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-client-'));
  try {
    const input = join(directory, 'api.json');
    const output = join(directory, 'schema.ts');
    await writeFile(input, openApi);
    const cli = join(folder, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
    const { status, stderr } = spawnSync(process.execPath, [cli, input, '-o', output, ...flags], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`openapi-typescript failed: ${stderr}`);
    return await readFile(output, 'utf8');
  } finally {
    await rm(directory, { recursive: true });
  }
}
