import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settings } from '../server/config.ts';
import { formatOf } from '../server/tables/formats.ts';
import { isSetOperator, operators } from '../server/operators/index.ts';
import { renderApi, renderErrors, renderOperators, renderSettings } from './documentation.ts';

test('every error code in the source is documented with its status', () => {
  const page = renderErrors();
  let codes = 0;
  for (const path of globSync('server/**/*.ts')) {
    if (path.endsWith('.test.ts')) continue;
    const source = readFileSync(path, 'utf8');
    if (!source.includes('defineErrors(')) continue;
    for (const [, code = ''] of source.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \[/gm)) {
      codes++;
      assert.match(page, new RegExp(`\\| \`${code}\` \\| [45]\\d\\d \\| \\S`), `${code} of ${path}`);
    }
  }
  assert.ok(codes > 20, 'the test found the catalogues');
});

test('the first example of the first steps uploads files that are all read: nothing fails in it', () => {
  const [, patterns = ''] = /^tar -c (.+?) \|/m.exec(readFileSync('docs/first-steps.md', 'utf8')) ?? [];
  const paths = patterns.split(' ').flatMap((pattern) => globSync([pattern, `${pattern}/**/*.*`]));
  const files = paths.filter((path) => path.includes('.'));
  assert.ok(files.length > 10, patterns);
  for (const path of files) assert.equal(formatOf(path.slice(path.lastIndexOf('.') + 1)), 'text', path);
});

test('every setting is documented', () => {
  const page = renderSettings();
  for (const [key, { env, sentence }] of Object.entries(settings))
    assert.ok(page.includes(`| \`${env}\` | \`${key}\` |`) && page.includes(sentence.replaceAll('|', '\\|')), env);
});

test('every operator is documented with its parameters and examples', () => {
  const page = renderOperators();
  for (const operator of operators) {
    const { id, params } = operator;
    const examples = isSetOperator(operator) ? operator.setExamples : operator.examples;
    assert.ok(page.includes(`\`${id}\``), id);
    for (const field of Object.keys(params.properties)) assert.ok(page.includes(`| \`${field}\` |`), `${id}: ${field}`);
    for (const { title } of examples)
      assert.ok(page.includes(title.replaceAll('|', String.raw`\|`)), `${id}: ${title}`);
  }
});

test('every operation of the API has a summary, a tag, its security and its errors', async () => {
  const document = JSON.parse(await renderApi()) as {
    openapi: string;
    paths: Record<
      string,
      Record<string, { summary?: string; tags?: string[]; security?: object[]; responses: object }>
    >;
  };
  assert.equal(document.openapi, '3.1.0');
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { summary, tags, security, responses }] of Object.entries(operations)) {
      const what = `${method} ${path}`;
      assert.ok(summary !== undefined && tags?.length === 1 && security !== undefined, what);
      if (path.startsWith('/api/') && !['/api/v1/auth/login', '/api/v1/openapi.json'].includes(path)) {
        assert.deepEqual(security, [{ bearer: [] }, { apiKey: [] }], what);
        for (const status of ['401', '403', '429', '500', '503']) assert.ok(status in responses, `${what} ${status}`);
      }
    }
  }
});

test('every object and list of values of the API stands in the document once, under its name', async () => {
  const { paths, components } = JSON.parse(await renderApi()) as {
    paths: object;
    components: { schemas: Record<string, object> };
  };
  const inline: string[] = [];
  const walk = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('properties' in value || 'enum' in value) inline.push(where);
    for (const [key, part] of Object.entries(value)) walk(part, `${where}/${key}`);
  };
  walk(paths, '#/paths');
  for (const [name, schema] of Object.entries(components.schemas))
    for (const [keyword, part] of Object.entries(schema)) {
      const parts = keyword === 'properties' ? Object.entries(part as object) : [['', part] as const];
      for (const [field, inside] of parts) walk(inside, `${name}/${keyword}/${field}`);
    }
  assert.deepEqual(inline, []);
  const contents = Object.values(components.schemas).map((schema) => JSON.stringify(schema));
  assert.ok(contents.length > 100, 'the test found the schemas');
});

test('limits of lengths and of pages stand in the schemas, not in words alone', async () => {
  type Limited = { maxLength?: number; maximum?: number; description?: string; properties?: Record<string, Limited> };
  const { paths, components } = JSON.parse(await renderApi()) as {
    paths: Record<string, Record<string, { parameters?: { name: string; schema: Limited }[] }>>;
    components: { schemas: Record<string, Limited> };
  };
  const parameters = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap((operation) => operation.parameters ?? []),
  );
  const pages = parameters.filter(({ name }) => name === 'page');
  assert.ok(pages.length > 5);
  for (const { schema } of pages) assert.equal(schema.maximum, Number.MAX_SAFE_INTEGER);
  for (const name of ['NewDataset', 'NewTag', 'NewCleaningTask', 'NewCleaningTemplate', 'NewApiKey', 'VersionName'])
    assert.ok((components.schemas[name]?.properties?.['name']?.maxLength ?? 0) > 0, name);
  for (const [name, { properties = {} }] of Object.entries(components.schemas))
    for (const [field, { description = '', maxLength }] of Object.entries(properties))
      if (/\bat most \d[\d,]* characters/i.test(description) || /\d to \d+ characters/.test(description))
        assert.notEqual(maxLength, undefined, `${name}.${field}: ${description}`);
});
