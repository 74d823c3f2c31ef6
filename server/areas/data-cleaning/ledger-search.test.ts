import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startApp, type RunningApp } from '../../../tests/support/server.ts';

type Entry = { row: number | null; verdict: string; reason: string | null; reasonCode: string | null };
type Page = { content: Entry[]; totalElements: number; unsearched: number };
type Group = { verdict: string; operatorId: string | null; reasonCode: string | null; reason: string | null };
type Summary = { groups: (Group & { count: number })[] };

/** Cleans a table with rows of every outcome, a document and a picture; returns the path of the run. */
async function cleaned({ api }: RunningApp): Promise<string> {
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Orchard',
    type: 'TEXT',
  });
  const rows = ['{"text":"An apple  tree"}', '{"text":"x"}', 'broken', '{"text":"yy"}', '{"text":"A pear tree"}'];
  const form = new FormData();
  form.append('files', new File([rows.join('\n')], 'rows.jsonl'));
  form.append('files', new File(['A plum tree'], 'notes.txt'));
  form.append('files', new File(['no picture'], 'tree.png'));
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'Prune',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 3 } }],
  });
  const tasks = `/data-cleaning/tasks/${task.data.id}`;
  const { body: run } = await api<{ data: { id: string } }>('POST', `${tasks}/execute`, {});
  for (;;) {
    const { body } = await api<{ data: { status: string } }>('GET', `${tasks}/runs/${run.data.id}`);
    if (body.data.status === 'COMPLETED') return `${tasks}/runs/${run.data.id}`;
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

forAnyDatabase('a ledger counts by reason, filters by it, and finds words of texts', async (t, _open, database) => {
  const app = await startApp(t, { database });
  const run = await cleaned(app);
  const page = async (query: string): Promise<Page> =>
    (await app.api<{ data: Page }>('GET', `${run}/ledger?${query}`)).body.data;

  const { body: summary } = await app.api<{ data: Summary }>('GET', `${run}/ledger/summary`);
  const told = summary.data.groups.map(({ verdict, reasonCode, count }) => `${verdict} ${reasonCode} ${count}`);
  assert.deepEqual(told.toSorted(), [
    'CHANGED null 1',
    'DROPPED LENGTH_BELOW_MIN 2',
    'FAILED LINE_NOT_JSON 1',
    'KEPT null 2',
    'SKIPPED NOT_MEANT 1',
  ]);
  const short = summary.data.groups.find(({ reasonCode }) => reasonCode === 'LENGTH_BELOW_MIN');
  assert.equal(short?.operatorId, 'text-length-filter');
  assert.equal(short.reason, 'length {length} is below min {min}');

  const dropped = await page('reasonCode=LENGTH_BELOW_MIN&size=1&page=1');
  assert.deepEqual([dropped.totalElements, dropped.content[0]?.row], [2, 4]);
  assert.equal((await page('reasonCode=LENGTH_BELOW_MIN&verdict=FAILED')).totalElements, 0);
  assert.equal((await page('reasonCode=OTHER')).totalElements, 0);

  const trees = await page('search=TREE&verdict=KEPT');
  assert.deepEqual([trees.totalElements, trees.unsearched], [2, 0], 'a row and a document, whatever the case');
  const apple = await page('search=apple%20%20tree');
  assert.deepEqual(
    apple.content.map(({ row, verdict }) => [row, verdict]),
    [[1, 'CHANGED']],
    'the text as it came',
  );
  assert.equal((await page('search=apple&reasonCode=LENGTH_BELOW_MIN')).totalElements, 0);
});
