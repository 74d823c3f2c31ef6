// Sentences are found by their words only in rows of earlier releases, and where others speak.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files that look texts up by their words: in how many places, and why there. */
const matching: Readonly<Record<string, { places: number; why: string }>> = {
  'server/kernel/sentence-catalogue.ts': { places: 2, why: 'the matcher, whose values may be sentences' },
  'server/kernel/stored-reason.ts': { places: 7, why: 'rows of earlier releases' },
  'server/kernel/failure-counts.ts': { places: 1, why: 'counts of runs of earlier releases' },
  'server/engine/orders/ledger-entry.ts': { places: 1, why: 'lines of ledgers of earlier releases' },
  'server/areas/operator-market/built-in.ts': { places: 1, why: 'reasons that examples of operators declare' },
};

const lookUp = /\b(?:recognized|coded|readSentence)\(|\bmap\(readSentence\)|\bcodeOf\(reason\)/g;

test('texts are looked up by their words nowhere else', () => {
  const files = globSync('server/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.flatMap((file) => {
    const places = [...readFileSync(`${root}${file}`, 'utf8').matchAll(lookUp)].length;
    return places === 0 ? [] : [[file, places] as const];
  });
  const listed = Object.entries(matching).map(([file, { places }]) => [file, places] as const);
  assert.deepEqual(new Map(found), new Map(listed));
});
