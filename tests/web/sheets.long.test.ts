// A workbook in the browser: its sheets as tables, selected, searched, compared.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { xlsxOf } from '../support/document-files.ts';
import { testWith } from '../support/tools.ts';
import { changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'the sheets of a workbook are shown, chosen, searched, and say what is not in them',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { body: dataset } = await session.app.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'Books',
      type: 'TEXT',
    });
    const people = Array.from({ length: 60 }, (_, row) => [`Person ${row}`, row % 7 === 0 ? `about ${row}` : row]);
    const book = (first: string): Buffer =>
      xlsxOf(
        {
          People: [['Staff'], ['name', 'age'], [first, { formula: 'A1' }], ...people],
          Notes: [['note'], ['only one']],
        },
        [],
        ['Notes'],
      );
    const upload = async (first: string): Promise<string> => {
      const form = new FormData();
      form.append('files', new Blob([new Uint8Array(book(first))]), 'book.xlsx');
      const at = `/data-management/datasets/${dataset.id}/files/upload`;
      return (await session.app.api<{ id: string }[]>('POST', at, form)).body[0]?.id ?? '';
    };
    await upload('Ada');
    const fileId = await upload('Eve');
    const page = await session.open(`/datasets/${dataset.id}/files/${fileId}`);
    const grid = page.getByRole('grid', { name: 'book.xlsx' });
    await grid.getByRole('gridcell', { name: 'Eve' }).waitFor();
    await page.getByText('The column names are in row 2 of the sheet').waitFor();
    await page.getByText('1 formula has no stored value and is shown as empty: B3').waitFor();
    const header = grid.getByRole('columnheader', { name: /age/ });
    await header.getByText('mixed', { exact: true }).hover();
    await page
      .getByRole('tooltip')
      .getByText(/The column mixes numbers or booleans with text/)
      .waitFor();
    await screenshot(page, 'sheet-rows');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('searchbox', { name: 'Search all rows' }).fill('Person 5');
    await page.getByText('11 rows found').waitFor();

    await page.getByRole('combobox', { name: 'Sheet' }).click();
    await page.getByRole('option', { name: 'Notes (hidden)' }).click();
    await grid.getByRole('gridcell', { name: 'only one' }).waitFor();
    assert.match(page.url(), /sheet=Notes/);
    await page.getByRole('radiogroup').getByText('Text', { exact: true }).click();
    await page.getByText('What a run reads from this document').or(page.getByText('only one')).first().waitFor();

    await page.goto(
      `${page.url().split('/datasets/')[0]}/datasets/${dataset.id}/versions/rows?path=book.xlsx&from=2&to=3`,
    );
    await page.getByText('Ada').first().waitFor();
    await page.getByText('Eve').first().waitFor();
    await page.getByRole('combobox', { name: 'Sheet' }).click();
    await page.getByRole('option', { name: 'Notes (hidden)' }).click();
    await page.getByText('1 row unchanged').waitFor();
    await screenshot(page, 'sheet-diff');
    assert.deepEqual(await findBarriers(page), []);
    await changeWidth(page, 390);
    assert.equal(await overflowOf(page), 0);
    assert.deepEqual(session.faults, []);
  },
);
