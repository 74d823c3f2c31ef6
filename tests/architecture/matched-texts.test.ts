// Sentences are found by their words only in rows of earlier releases, and where others speak.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files that look a text up by its words, and why; a text of the service itself carries its reason instead. */
const matching: Readonly<Record<string, string>> = {
  'server/kernel/sentence-catalogue.ts': 'the matcher',
  'server/kernel/stored-reason.ts': 'rows of earlier releases',
  'server/kernel/failure-counts.ts': 'counts of runs of earlier releases',
  'server/engine/orders/ledger-entry.ts': 'lines of ledgers of earlier releases',
  'server/kernel/reasoned-error.ts': 'errors of libraries, and texts that are still given to errors of ours',
  'server/runs/queries/logs.ts': 'texts that are still given to logs of runs',
  'server/runs/handovers.ts': 'what a cluster says',
  'server/areas/data-collection/sources.ts': 'what a connector found in a test',
  'server/areas/data-management/sql/sql-problem.ts': 'what the process of a query says',
  'server/areas/data-management/statistics/file-contents.ts': 'what the process of a view says',
  'server/areas/operator-market/built-in.ts': 'reasons that examples of operators declare',
  'server/connectors/crawl/crawl.ts': 'why a link is not followed',
  'server/connectors/crawl/page-contents.ts': 'a page that is the same',
  'server/connectors/crawl/page-visits.ts': 'redirects and pages that are the same',
  'server/operators/operator-params.ts': 'what an operator says about its own parameters',
};

const lookUp = /\b(?:recognized|coded|readSentence)\(|\bcodeOf\(reason\)/;

test('texts are looked up by their words nowhere else', () => {
  const files = globSync('server/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.filter((file) => lookUp.test(readFileSync(`${root}${file}`, 'utf8')));
  assert.deepEqual(found.toSorted(), Object.keys(matching).toSorted());
});
