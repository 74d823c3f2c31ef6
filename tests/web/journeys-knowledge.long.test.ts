// Documents of a knowledge base, as users see them: added, followed to a receipt, retried, and shown beside their text.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docxOf } from '../support/document-files.ts';
import { pdfOf } from '../support/pdf-files.ts';
import { chromium } from '../support/chromium.ts';
import { createKnowledgeBase, soil } from '../support/knowledge-bases.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'documents are added, end in a state with a receipt, and are retried and deleted',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const page = await session.open('/knowledge?keyword=nothing+of+this+name');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('button', { name: 'New knowledge base' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Farm manuals');
    await dialog.getByRole('button', { name: 'Model and chunking' }).click();
    await dialog.getByRole('textbox', { name: 'Maximum chunk size' }).fill('200');
    await dialog.getByRole('textbox', { name: 'Overlap' }).fill('20');
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-create');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    await page.getByText(/Archives \(ZIP, TAR\) are not unpacked here/).waitFor();
    await page.getByText(/Up to 1\.05 MB per file; room for [\d,]+ more documents\.$/).waitFor();
    await screenshot(page, 'knowledge-empty');

    const file = (name: string, content: string | Uint8Array) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    });
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        file('soil.md', soil),
        file('two.pdf', Buffer.from(pdfOf([['Wheat is sown in autumn.'], []]))),
        file('broken.pdf', '%PDF-1.7 nothing'),
        file(`${'n'.repeat(256)}.txt`, 'too long a name'),
        file('large.txt', 'x'.repeat(3 << 20)),
      ]);
    const refused = page.getByRole('alert', { name: 'files were not added' });
    await refused.getByText('its name is longer than 255 characters').waitFor();
    await refused.getByText('large.txt: it is larger than 1.05 MB, the limit per document').waitFor();
    await page.getByRole('row', { name: /soil\.md.*Searchable/ }).waitFor();
    await page.getByRole('row', { name: /two\.pdf.*1 of 2 pages have text.*Partly searchable/ }).waitFor();
    const broken = page.getByRole('row', { name: /broken\.pdf/ });
    await broken.getByText(/^Failed: /).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-documents');
    await refused.getByRole('button', { name: 'Close' }).click();

    await broken.getByRole('button', { name: 'Retry' }).click();
    await broken.getByText(/^Failed: /).waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed (1)' }).click();
    await page.getByRole('row', { name: /soil\.md/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for broken.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the document' }).click();
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /soil\.md/ }).waitFor();
    await page.getByText('2 documents', { exact: true }).waitFor();

    // The same bytes are reported as already present; the list is sorted, and documents are deleted across pages.
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([file('again.md', soil), file('hay.md', 'Hay is dried grass.')]);
    const repeated = page.getByRole('status', { name: '1 file was added although its content is already here' });
    await repeated.getByText('again.md: same content as soil.md').waitFor();
    await page.getByRole('row', { name: /again\.md.*same content as soil\.md.*Searchable/ }).waitFor();
    await page.getByRole('row', { name: /hay\.md.*Searchable/ }).waitFor();
    await screenshot(page, 'knowledge-repeated');
    await repeated.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Size/ }).click();
    const firstRow = page.getByRole('row').nth(1);
    await firstRow.getByRole('link', { name: 'hay.md', exact: true }).waitFor();
    assert.match(page.url(), /sort=fileSize(?:,|%2C)asc/);
    await page.getByRole('searchbox', { name: 'Search documents' }).fill('md');
    await page.getByText('3 entries', { exact: true }).waitFor();
    await page.goto(`${page.url()}&size=2`);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Select all 3 that match' }).click();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Delete 3 documents' }).click();
    await dialog.getByText(/^Searches no longer find them\./).waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 documents' }).click();
    await page.getByText('3 documents were deleted').waitFor();
    await page.getByText('1 document', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /two\.pdf/ }).waitFor();

    // A file of an older version of a dataset.
    const { api } = session.app;
    const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'Barn',
      type: 'TEXT',
    });
    const store = async (name: string, content: string): Promise<string> => {
      const form = new FormData();
      form.append('files', new File([content], name), name);
      const { body } = await api<{ id: string }[]>(
        'POST',
        `/data-management/datasets/${dataset.id}/files/upload`,
        form,
      );
      return body[0]?.id ?? '';
    };
    const old = await store('hay.txt', 'Hay is dried grass.');
    const { version } = (await api<{ version: number }>('GET', `/data-management/datasets/${dataset.id}`)).body;
    await api('DELETE', `/data-management/datasets/${dataset.id}/files/${old}`);
    await store('straw.txt', 'Straw is dried stalks.');
    await page.getByRole('button', { name: 'Choose files from a dataset' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).fill('Barn');
    await page.getByRole('option', { name: 'Barn' }).click();
    await dialog.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: String(version), exact: true }).click();
    await dialog.getByRole('radio', { name: 'Only some' }).check();
    await dialog.getByRole('checkbox', { name: 'Select hay.txt' }).check();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-dataset-files');
    await dialog.getByRole('button', { name: 'Add 1 file' }).click();
    await page.getByRole('row', { name: /hay\.txt.*Searchable/ }).waitFor();
    assert.equal(await page.getByRole('row', { name: /straw/ }).count(), 0);

    // A user who may not change anything sees no actions that do.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete the knowledge base' }).click();
    const confirm = dialog.getByRole('button', { name: 'Delete the knowledge base' });
    assert.ok(await confirm.isDisabled());
    await dialog.getByRole('textbox', { name: /to confirm$/ }).fill('Farm manuals');
    await confirm.click();
    await page.getByRole('heading', { name: 'Knowledge', exact: true }).waitFor();
    assert.deepEqual(session.faults, []);
  },
);

testWith(
  [chromium],
  'a dropped folder is added without its hidden files, and all failed documents are retried at once',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const base = await createKnowledgeBase(session.app, { name: 'Dropped lore' });
    const folder = await mkdtemp(join(tmpdir(), 'tilth-drop-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, 'Farm', '.git'), { recursive: true });
    for (const name of ['one.pdf', 'two.pdf', '.DS_Store', 'Thumbs.db', '~$soil.docx', '.git/HEAD'])
      await writeFile(join(folder, 'Farm', name), '%PDF-1.7 nothing');
    const page = await session.open(`/knowledge/${base.id}`);
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder, 'Farm')], dragOperationsMask: 1 };
    await devtools.send('Input.dispatchDragEvent', { type: 'dragEnter', x: 9, y: 9, data });
    const target = await page.getByText(/Dropped lore”$/).boundingBox();
    assert.ok(target !== null);
    for (const type of ['dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x: target.x + 9, y: target.y + 9, data });
    const left = page.getByRole('alert');
    await left.getByText('4 files were not added').waitFor();
    for (const name of ['.DS_Store', 'Thumbs.db', '~$soil.docx', '.git/HEAD'])
      await left.getByText(`Farm/${name}: skipped: a hidden or temporary file`).waitFor();
    // Both fail: each page of the list shows one.
    await page.getByText('2 failed', { exact: true }).waitFor();
    await session.visit(page, `/knowledge/${base.id}?size=1`);
    await page.getByText('Farm/', { exact: true }).waitFor();
    assert.equal(await page.getByRole('row', { name: /\.pdf/ }).count(), 1);
    await page.getByRole('button', { name: 'Retry all 2 failed' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/fails again if the cause still exists/).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('2 documents are being processed again.').waitFor();
    await page.getByText('2 failed', { exact: true }).waitFor();
    assert.equal((await base.settled()).length, 2);
    assert.deepEqual(session.faults, []);
  },
);

testWith([chromium], 'a document shows its source beside the text that was read, with its chunks', async (t, path) => {
  const session = await startWebSession(t, path);
  const base = await createKnowledgeBase(session.app, { name: 'Read lore', chunking: { size: 45, overlap: 5 } });
  const pages = [['Wheat is sown in autumn.', 'Rye follows it.'], [], ['Barley is sown in spring.']];
  const words = 'Straw covers the beds. '.repeat(1_200);
  await base.add({
    'crops.pdf': new Uint8Array(pdfOf(pages)),
    'broken.pdf': '%PDF-1.7 nothing',
    'beds.txt': words,
    'letter.docx': new Uint8Array(docxOf(['A letter.'])),
  });
  const documents = await base.settled();
  const idOf = (name: string): string => documents.find((one) => one.name === name)?.id ?? '';
  const address = (name: string): string => `/knowledge/${base.id}/documents/${idOf(name)}`;
  const page = await session.open(address('crops.pdf'));
  const source = page.getByRole('region', { name: 'Source' });
  const text = page.getByRole('region', { name: 'Extracted text' });
  await text.getByText('Wheat is sown in autumn.').waitFor();
  const drawn = source.locator('canvas[data-drawn]');
  await drawn.waitFor();
  const dark = await page.evaluate(`(() => {
    const { width, height } = document.querySelector('canvas');
    const { data } = document.querySelector('canvas').getContext('2d').getImageData(0, 0, width, height);
    return data.filter((value, at) => at % 4 === 0 && value < 128).length;
  })()`);
  assert.ok(Number(dark) > 100, `the page has ${String(dark)} dark points: its letters`);
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'knowledge-document');
  await text.getByRole('button', { name: /: Next page$/ }).click();
  await text.getByText('No text was extracted from this page').waitFor();
  await source.getByRole('img', { name: 'Page 2 of crops.pdf' }).waitFor();
  await text.getByRole('button', { name: /: Next page$/ }).click();
  await text.getByText('Barley is sown in spring.').waitFor();
  await text.getByRole('button', { name: 'Chunk 2' }).click();
  await page.getByText(/^Chunk 2 · page 3 · /).waitFor();
  assert.match(page.url(), /chunk=\d+-1/);

  // A link to a place deep in the text opens the section that contains it.
  await session.visit(page, `${address('beds.txt')}?start=25000&end=25020`);
  await text.locator('.chunk-segment[data-chosen]').first().waitFor();
  assert.equal(await text.getByRole('textbox', { name: /go to part$/ }).inputValue(), '2');
  await source.getByText('Straw covers the beds.').waitFor();
  await text.getByText(/^Characters [12]\d,\d{3} to 27,\d{3} of 27,\d{3}$/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await session.visit(page, address('letter.docx'));
  await source.getByText('The browser can’t show this kind of file.').waitFor();
  await session.visit(page, address('broken.pdf'));
  await text.getByText('No text was extracted from this document.').waitFor();
  await source.getByText(/^The browser can’t render this page: /).waitFor();
  await text.getByRole('button', { name: 'Retry' }).waitFor();
  assert.deepEqual(session.faults, []);
});
