// Runs in a process of its own: other tests define errors that the service does not have.
// Every English sentence of the service has a code, and a Chinese translation for that code.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { listErrorCatalogues } from '../../server/kernel/errors.ts';
import { codeOf, listSentenceCatalogues, readSentence, withManyWords } from '../../server/kernel/sentence-catalogue.ts';
import { parts, sentences } from '../../web/messages/zh/sentences.ts';

// Loading the service registers its catalogues.
await import('../../server/app.ts');

const errors = [...listErrorCatalogues().values()].flatMap((catalogue) =>
  Object.entries(catalogue).map(([code, [, text]]) => [code, text] as const),
);
const said = [...listSentenceCatalogues().values()].flatMap((catalogue) => Object.entries(catalogue));

function namesOf(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].toSorted();
}

test('every code has its Chinese sentence with the same values, and nothing else has one', () => {
  const codes = [...errors, ...said].map(([code]) => code);
  assert.deepEqual(parts.flatMap((part) => Object.keys(part)).toSorted(), [...new Set(codes)].toSorted());
  for (const [code, text] of [...errors, ...said])
    assert.deepEqual(namesOf(sentences[code] ?? ''), namesOf(text), code);
});

test('no two sentences share a code', () => {
  const codes = said.map(([code]) => code);
  assert.deepEqual(
    codes.filter((code, at) => codes.indexOf(code) !== at),
    [],
  );
});

test('what is taken and what is missing have codes of one form', () => {
  const taken = errors.filter(([, text]) => /exists already|already exists/.test(text)).map(([code]) => code);
  assert.ok(taken.length >= 7, taken.join(', '));
  assert.deepEqual(
    taken.filter((code) => !code.endsWith('_ALREADY_EXISTS')),
    [],
  );
  const missing = errors.filter(([, text]) => / does not exist\b/.test(text)).map(([code]) => code);
  assert.deepEqual(
    missing.filter((code) => !code.endsWith('NOT_FOUND') && code !== 'RUN_UNKNOWN'),
    [],
  );
});

test('every sentence is recognised by its words', () => {
  const mistaken = said.flatMap(([code, text]) => {
    // It only joins others.
    if (!/\p{L}/u.test(text.replaceAll(/\{\w+\}/g, ''))) return [];
    let number = 0;
    const written = withManyWords(text).replaceAll(/\{(\w+)\}/g, () => `v${(number += 1)}`);
    const found = readSentence(written);
    const values = Object.values(found?.params ?? {});
    const isRight = found?.code === code && values.every((value, at) => value === `v${at + 1}`);
    return isRight ? [] : [`${code}: ${written} → ${JSON.stringify(found)}`];
  });
  assert.deepEqual(mistaken, []);
});

/** Places where the service creates sentences for users: reasons, problems, warnings, log lines, failures of runs. */
const places =
  /(?:new (?:RunFailure|SetupError|StepFailure|ArchiveError|ParquetUnreadable|ParquetProblem|CompressedDataProblem)\(|new DocumentFailure\('[A-Z_]+', |new SourceError\(\s*|new (?:OutgoingError|ModelCallError)\(\s*'[a-z-]+',\s*|\b(?:make\(\s*'[a-z-]+',|result\((?:true|false),)\s*|\b(?:say|badAnswer|refuse)\(\s*|\bmessage:(?: [^\n?']+\?)? |\bdrop\(|\.warn\(|\.log\(\s*(?:tx,\s*[\w.]+,\s*)?'[A-Z]+',\s*|\b(?:problem|reason): |\binvalid\([^()'`]*(?:'[^']*'|`[^`]*`), )('[^'\n]{3,}'|`[^`\n]{3,}`)/g;

/** Sentences of the database connectors begin with the server. */
const databases = ['PostgreSQL', 'MySQL'];

/** Reasons that never leave the service. */
const inner = new Set(['taken down', 'It was not tried']);

test('the sentences in the sources have codes', () => {
  const root = fileURLToPath(new URL('../../server/', import.meta.url));
  const areas = ['areas/data-management/archives', 'areas/data-collection'];
  const shared = ['engine', 'tables', 'documents', 'operators', 'runs', 'tasks', 'connectors', 'outgoing', 'models'];
  const files = [...shared, ...areas].flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const unknown = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(root + file, 'utf8').matchAll(places)].flatMap(([, literal = '']) => {
        let number = 0;
        const written = literal.slice(1, -1).replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, () => `v${(number += 1)}`);
        const ownLetters = written.replaceAll(/v\d+|\P{L}/gu, '').length;
        const isComposed = ownLetters < 5 || written.includes('${') || /[a-z]v\d/.test(written);
        // The text after a value and a colon is a sentence of its own.
        const forms = [
          written,
          written.replace(/^v\d+: /, ''),
          written.replace(/the v\d+/, 'the line'),
          ...databases.map((name) => `${name} at ${written}`),
        ];
        const isKnown = forms.some((form) => codeOf(form) !== null);
        return isComposed || isKnown || inner.has(written) ? [] : [`${file}: ${written}`];
      }),
    );
  assert.deepEqual(unknown, []);
});
