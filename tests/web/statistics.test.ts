// What the files of a dataset contain, in the browser: counted in the background, whole and by file, counted again.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'the statistics of a dataset are counted, shown, asked of one file, and counted again',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { body: dataset } = await session.app.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'Counted',
      type: 'TEXT',
    });
    const empty = await session.open(`/datasets/${dataset.id}/statistics`);
    await empty.getByText('No files to count').waitFor();
    await empty.close();
    const form = new FormData();
    const rows = Array.from({ length: 40 }, (_, id) =>
      JSON.stringify({
        id,
        text: `The weather of day ${id} was rather nice, and we went out for a walk in the woods.`,
      }),
    );
    form.append('files', new File([rows.join('\n')], 'days.jsonl'));
    form.append('files', new File(['Das Wetter war heute schön, und wir gingen im Wald spazieren.'], 'tag.txt'));
    form.append('files', new File(['%PDF-1.7 and nothing of one'], 'broken.pdf'));
    await session.app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
    const page = await session.open(`/datasets/${dataset.id}/statistics`);
    await page.getByText('3 files, each content counted once').waitFor();
    await page.getByRole('img', { name: /^Characters per text: from/ }).waitFor();
    await page.getByRole('list', { name: 'Languages' }).getByText('German').waitFor();
    await page.getByRole('table', { name: 'Columns of all tables' }).getByText('BIGINT').waitFor();
    await page.getByText('1 file could not be counted').waitFor();
    await screenshot(page, 'statistics');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Count again' }).click();
    await page.getByText('3 files, each content counted once').waitFor();
    await page.getByRole('link', { name: 'broken.pdf' }).click();
    await page.getByRole('link', { name: 'Statistics', exact: true }).last().click();
    await page.getByText('1 file, counted once for its content').waitFor();
    await page.goto(`${page.url().split('?')[0]}?version=1`);
    await page.getByText('No files to count').waitFor();
    await page.goto(`${page.url().split('?')[0]}`);
    await page.getByText('3 files, each content counted once').waitFor();
    await changeWidth(page, 390);
    assert.equal(await overflowOf(page), 0);
    await screenshot(page, 'statistics-narrow');
    assert.deepEqual(session.faults, []);
  },
);
