// Statistics of a dataset's files in the browser: counted in the background, in total and per file, and counted again.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { makePicture } from '../support/pictures.ts';
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
    const chat = { messages: [{ content: 'How was the weather?' }, { content: 'It was rather nice.' }] };
    form.append('files', new File([JSON.stringify(chat)], 'chat.jsonl'));
    await session.app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
    const page = await session.open(`/datasets/${dataset.id}/statistics`);
    await page.getByText('4 files; identical content is counted once').waitFor();
    await page.getByRole('img', { name: /^Characters per text: from/ }).waitFor();
    await page.getByRole('list', { name: 'Languages' }).getByText('German').waitFor();
    await page.getByRole('table', { name: 'Columns of all tables' }).getByText('BIGINT').waitFor();
    await page.getByText('1 file could not be counted').waitFor();
    await page.getByText('Text fields of tables: messages[*].content (1 table *), text (1 table)').waitFor();
    await page.getByText(/^\* It is not clear which column or path holds the text/).waitFor();
    await page.getByRole('cell', { name: 'text · text column of 1 table', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'messages · text column of 1 table', exact: true }).waitFor();
    await screenshot(page, 'statistics');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Count again' }).click();
    await page.getByText('4 files; identical content is counted once').waitFor();
    await page.getByRole('link', { name: 'broken.pdf' }).click();
    await page.getByRole('link', { name: 'Statistics', exact: true }).last().click();
    await page.getByText('1 file; identical content is counted once').waitFor();
    await page.goto(`${page.url().split('?')[0]}?version=1`);
    await page.getByText('No files to count').waitFor();
    await page.goto(`${page.url().split('?')[0]}`);
    await page.getByText('4 files; identical content is counted once').waitFor();
    await changeWidth(page, 390);
    assert.equal(await overflowOf(page), 0);
    await screenshot(page, 'statistics-narrow');
    assert.deepEqual(session.faults, []);
  },
);

testWith(
  [chromium],
  'a picture that is cut off says so, on its page, in the gallery and in the statistics',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { api } = session.app;
    const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'Pictures',
      type: 'IMAGE',
    });
    const form = new FormData();
    for (const [name, words] of [
      ['cut.png', 'PNG 640×480, cut off'],
      ['whole.png', 'PNG 640×480'],
    ] as const)
      form.append('files', new File([new Uint8Array((await makePicture(words)).bytes)], name));
    const at = `/data-management/datasets/${dataset.id}/files/upload`;
    const { body: files } = await api<{ id: string; filePath: string }[]>('POST', at, form);
    const pageOf = (name: string): string =>
      `/datasets/${dataset.id}/files/${files.find(({ filePath }) => filePath === name)?.id}`;
    const told = 'This picture cannot be read completely';

    const page = await session.open(pageOf('cut.png'));
    await page.getByRole('alert').getByText(told).waitFor();
    await page.getByRole('alert').getByText('the picture is damaged').waitFor();
    await screenshot(page, 'cut-picture');
    assert.deepEqual(await findBarriers(page), []);
    await page.goto(page.url().replace(pageOf('cut.png'), `/datasets/${dataset.id}/statistics`));
    await page.getByText('1 file could not be counted').waitFor();
    const counted = page.waitForResponse((answer) => answer.url().includes('content-statistics'));
    await page.goto(page.url().replace(`/datasets/${dataset.id}/statistics`, pageOf('whole.png')));
    await page.getByText('640 × 480').waitFor();
    await counted;
    assert.equal(await page.getByText(told).count(), 0);
    await page.goto(page.url().replace(pageOf('whole.png'), `/datasets/${dataset.id}`));
    await page.getByRole('button', { name: 'cut.png' }).click();
    await page.getByRole('dialog').getByText(told).waitFor();
    assert.deepEqual(session.faults, []);
  },
);
