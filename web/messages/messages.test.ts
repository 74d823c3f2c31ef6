import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { en } from './en/index.ts';
import { pageTexts } from './page-texts.ts';
import { zh } from './zh/index.ts';

const web = fileURLToPath(new URL('..', import.meta.url));

type Messages = { readonly [key: string]: string | Messages };

/** Key → text; without plural suffixes (`_one`, `_other`), which differ between languages. */
function flatten(messages: Messages, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(messages)) {
    const path = `${prefix}${key.replace(/_(?:zero|one|two|few|many|other)$/, '')}`;
    if (typeof value === 'string') flat.set(path, value);
    else for (const [inner, text] of flatten(value, `${path}.`)) flat.set(inner, text);
  }
  return flat;
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\{\w+\}\}/g))].sort();
}

const loaded = await Promise.all(Object.values(pageTexts).map((load) => load()));
const english = flatten(Object.assign({}, en, ...loaded) as Messages);
const chinese = flatten(zh);

test('every text is there in both languages', () => {
  assert.deepEqual([...chinese.keys()].sort(), [...english.keys()].sort());
});

test('both languages fill in the same values', () => {
  // A plural form need not contain its number.
  const withoutCount = (text: string): string[] => placeholders(text).filter((name) => name !== '{{count}}');
  for (const [key, text] of english) assert.deepEqual(withoutCount(chinese.get(key) ?? ''), withoutCount(text), key);
});

test('no text is empty, and Chinese is not left in English', () => {
  const same = new Set([
    'common.product',
    'common.language.en',
    'common.language.zh',
    'common.navigation.apiDocs',
    'datasets.file.sha256',
  ]);
  // Names of file formats are the same in every language.
  const formats = /^cleaning\.builder\.outputFormats\.(?:PARQUET|JSONL)$/;
  for (const [key, text] of chinese) {
    assert.notEqual(text.trim(), '', key);
    if (!same.has(key) && !key.startsWith('viewer.signs.') && !formats.test(key))
      assert.notEqual(text, english.get(key), key);
  }
});

test('a page uses only texts that its area loads', () => {
  const late = Object.keys(pageTexts);
  const files = globSync('{main,areas/**/*,runs/**/*,session/**/*,shell/**/*,ui/**/*,api/**/*}.{ts,tsx}', { cwd: web });
  const texts = files.map((path) => ({ path, code: readFileSync(join(web, path), 'utf8') }));
  const areaOf = (path: string): string => /^areas\/[^/]+/.exec(path)?.[0] ?? '';
  const loaded = new Set<string>();
  for (const { path, code } of texts) {
    for (const [, name] of code.matchAll(/loadPageTexts\('(\w+)'\)/g)) loaded.add(`${areaOf(path)} ${name}`);
  }
  assert.ok(loaded.has('areas/data-management viewer'));
  const used = new RegExp(`['"\`](${late.join('|')})\\.[\\w.$]`, 'g');
  const missing = texts.flatMap(({ path, code }) =>
    [...code.matchAll(used)]
      .filter(([, name]) => !loaded.has(`${areaOf(path)} ${name}`))
      .map(([use]) => `${path}: ${use}`),
  );
  assert.deepEqual(missing, []);
});

/** Attributes whose values users read or hear. */
const readAttributes = new Set([
  'alt',
  'aria-label',
  'description',
  'error',
  'header',
  'label',
  'placeholder',
  'title',
  'tooltip',
]);

type Node = { type: string; name?: { name: unknown }; value?: unknown; expression?: unknown };

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Literal words in a component that are not messages: between its elements, and in attributes that users read. */
function ownWords(code: string): string[] {
  const found: string[] = [];
  const note = (value: unknown): void => {
    const shown = isNode(value) && value.type === 'JSXExpressionContainer' ? value.expression : value;
    if (isNode(shown) && (shown.type === 'Literal' || shown.type === 'JSXText')) found.push(String(shown.value).trim());
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node)) return;
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      (node as { children?: unknown[] }).children?.forEach(note);
    if (node.type === 'JSXAttribute' && readAttributes.has(String(node.name?.name))) note(node.value);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang: 'tsx' }));
  return found.filter((words) => /\p{L}{2}/u.test(words));
}

test('a component has no words of its own, which would be in one language', () => {
  const example = '<p title="Two words">One <b className="none" alt={"three"}>{t("key")}</b>{"four"} 5</p>';
  assert.deepEqual(ownWords(example).sort(), ['One', 'Two words', 'four', 'three']);
  // Keyboard keys, and what is the same in every language.
  const common = /^(?:Ctrl K|Ctrl Enter|Enter|Esc|null|text|https:\/\/.*|-----BEGIN PUBLIC KEY-----.*)$/s;
  const files = globSync('**/*.tsx', { cwd: web, exclude: ['dist/**', 'node_modules/**'] });
  assert.ok(files.length > 100, String(files.length));
  const unknown = files.flatMap((path) =>
    ownWords(readFileSync(join(web, path), 'utf8'))
      .filter((words) => !common.test(words))
      .map((words) => `${path}: ${words}`),
  );
  assert.deepEqual(unknown, []);
});
