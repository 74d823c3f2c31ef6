import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installFolder } from './bootstrap.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const copied = [
  'package.json',
  'package-lock.json',
  'runtime/package.json',
  'scripts',
  'server/operators',
  'server/chunking',
  'server/html',
  'server/kernel',
  'web/api/client.ts',
  'web/messages',
];
const texts = 'web/messages/zh/operator-texts.ts';
const types = 'web/api/schema.ts';

/** A fresh Git checkout, without generated files. */
async function cleanCheckout(t: TestContext): Promise<string> {
  await installFolder(join(root, 'scripts/openapi'), 'Installing the generator of the types of the API');
  const copy = mkdtempSync(join(tmpdir(), 'tilth-generated-'));
  t.after(() => rmSync(copy, { recursive: true }));
  const isCommitted = (path: string) => !/\/(?:node_modules|\.built|\.sizes|zh\/operator-texts\.ts)$/.test(path);
  for (const path of copied) cpSync(join(root, path), join(copy, path), { recursive: true, filter: isCommitted });
  for (const path of ['node_modules', 'scripts/openapi/node_modules']) symlinkSync(join(root, path), join(copy, path));
  mkdirSync(join(copy, 'docs'));
  writeDocument(copy, 'Field');
  return copy;
}

/** An OpenAPI document with one schema. */
function writeDocument(checkout: string, name: string): void {
  const schemas = { [name]: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } };
  const document = { openapi: '3.1.0', info: { title: 'Made up', version: '1' }, paths: {}, components: { schemas } };
  writeFileSync(join(checkout, 'docs/api.json'), JSON.stringify(document));
}

/** Runs the generation; returns its messages. */
function make(checkout: string): string {
  const code = `await (await import('./scripts/generated-files.mjs')).makeGeneratedFiles(process.execPath)`;
  const output = join(checkout, 'said');
  execFileSync('/bin/sh', ['-c', '"$0" --input-type=module --eval "$1" 2>"$2"', process.execPath, code, output], {
    cwd: checkout,
  });
  return readFileSync(output, 'utf8');
}

test('generated files are made when they are missing or their sources have changed, and not otherwise', async (t) => {
  const checkout = await cleanCheckout(t);
  const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
  const changed = (path: string) => statSync(join(checkout, path)).mtimeMs;

  assert.match(make(checkout), /Building the Chinese texts of operators …[^]*Building the types of the API …/);
  assert.match(read(types), /export type Field = /);
  assert.match(read(texts), /"text-length-filter"/);
  const times = [changed(types), changed(texts)];
  assert.equal(make(checkout), '');
  assert.deepEqual([changed(types), changed(texts)], times);

  writeDocument(checkout, 'Meadow');
  assert.doesNotMatch(make(checkout), /Chinese/);
  assert.match(read(types), /export type Meadow = /);
  assert.equal(changed(texts), times[1]);

  const operator = join(checkout, 'server/operators/filters/text-length-filter.ts');
  writeFileSync(operator, readFileSync(operator, 'utf8').replace(/(chinese: \{\s+name: ')/, '$1新的'));
  const typesTime = changed(types);
  assert.doesNotMatch(make(checkout), /types/);
  assert.match(read(texts), /"name": "新的/);
  assert.equal(changed(types), typesTime);

  rmSync(join(checkout, types));
  writeFileSync(join(checkout, texts), '');
  make(checkout);
  assert.match(read(types), /export type Meadow = /);
  assert.match(read(texts), /"name": "新的/);
});
