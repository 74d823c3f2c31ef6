// From files to datasets and their contents: dropped anywhere, viewed as rows, pictures and texts.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { toTar } from '../contract/archive-bytes.ts';
import { chromium } from '../support/chromium.ts';
import { docxOf } from '../support/document-files.ts';
import { parquetOfTexts } from '../support/parquet.ts';
import { testWith } from '../support/tools.ts';
import { createDataset, datasetWithFiles } from './datasets.ts';
import { changeWidth, findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'the sample data is worth looking at: rows, pictures, a PDF as its text', async (t, path) => {
  const session = await startWebSession(t, path, { isEmpty: true });
  const page = await session.open('/');
  const button = page.getByRole('button', { name: 'Use sample data' });
  await button.waitFor();
  await screenshot(page, 'home-first');
  await button.click();
  await page.getByRole('heading', { name: 'Sample data', exact: true }).waitFor();
  await page.getByText('notebook 1').first().waitFor();
  await screenshot(page, 'sample-rows');
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'File to show' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  await choose('report.pdf');
  await page.getByText('The text that a run reads from this document').waitFor();
  await page
    .getByText(/The probe in field 2 showed/)
    .first()
    .waitFor();
  await screenshot(page, 'sample-pdf');
  await choose('pictures/field-03.png');
  await page.locator('img.image-fit, .image-frame img').first().waitFor();
  const { body } = await session.app.api<{ content: { name: string; fileCount: number; totalSize: number }[] }>(
    'GET',
    '/data-management/datasets?keyword=Sample%20data',
  );
  assert.ok((body.content[0]?.fileCount ?? 0) >= 17 && (body.content[0]?.totalSize ?? 0) > 1_000_000);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'from a dropped folder to the downloaded result in six clicks', async (t, path) => {
  const session = await startWebSession(t, path);
  await createDataset(session.app, 'einkorn');
  const page = await session.open('/runs');
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks += 1;
    await what.click();
  };
  const parent = await mkdtemp(join(tmpdir(), 'tilth-dropped-'));
  t.after(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'einkorn');
  await mkdir(join(folder, 'deep'), { recursive: true });
  await writeFile(join(folder, 'einkorn.jsonl'), '{"text":"one  row"}\n'.repeat(40));
  await writeFile(join(folder, 'deep', 'notes.txt'), 'a  note\n');
  const entries = [
    { name: 'in.txt', content: 'x' },
    { name: 'link.txt', type: '2', linkName: 'in.txt' },
  ];
  await writeFile(join(folder, 'more.tar'), toTar(entries));
  const browser = await page.context().newCDPSession(page);
  const drag = async (type: 'dragEnter' | 'dragOver' | 'drop', place: { x: number; y: number }): Promise<void> => {
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    await browser.send('Input.dispatchDragEvent', { type, ...place, data });
  };
  await drag('dragEnter', { x: 200, y: 200 });
  await page.getByText('Create a new dataset').waitFor();
  await screenshot(page, 'drop-anywhere');
  const target = await page.getByText('Create a new dataset').boundingBox();
  const middle = { x: (target?.x ?? 0) + 5, y: (target?.y ?? 0) + 5 };
  clicks += 1;
  await drag('dragOver', middle);
  await drag('drop', middle);
  await page.getByRole('heading', { name: 'einkorn 2', exact: true }).waitFor();
  await page.getByRole('gridcell', { name: 'one row' }).first().waitFor();
  // The outcome of the archive is shown with its upload, and refused entries in full on its page.
  await page.getByText('1 file unpacked, 1 rejected').waitFor();
  await screenshot(page, 'dropped');
  assert.deepEqual(await findBarriers(page), []);
  await click(page.getByRole('complementary', { name: 'Uploads' }).getByRole('link', { name: 'Clean' }));
  await click(page.getByRole('button', { name: 'Add step' }));
  await click(page.getByRole('button', { name: 'Add: Normalize white space' }));
  await click(page.getByRole('button', { name: 'Save and run' }));
  const downloading = page.waitForEvent('download');
  await click(page.getByRole('link', { name: 'Download as ZIP' }));
  const zip = await readFile(await (await downloading).path());
  assert.equal(zip.subarray(0, 2).toString(), 'PK');
  for (const path of ['einkorn.jsonl', 'deep/notes.txt', 'more/in.txt']) assert.ok(zip.includes(path), path);
  assert.ok(clicks <= 6, `${clicks} clicks`);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a dataset opens on its rows, with what is in its columns', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = Array.from({ length: 450 }, (_, id) =>
    JSON.stringify({ id, text: id % 4 === 0 ? null : `row number ${id}`, ok: true }),
  );
  const id = await datasetWithFiles(
    session.app,
    'With files',
    {
      'b/rows.jsonl': `${rows.join('\n')}\nbroken\n`,
      'a.txt': 'A text.\n',
    },
    ['field', 'spring', 'a tag of several words'],
  );
  const page = await session.open(`/datasets/${id}`);
  const frame = page.getByRole('grid', { name: 'rows.jsonl' });
  await frame.getByText('row number 1', { exact: true }).waitFor();
  const top = (await frame.boundingBox())?.y ?? 0;
  const header = (await page.getByRole('banner').boundingBox())?.height ?? 0;
  assert.ok(top - header < 120, `${top - header} pixels stand over the rows`);
  await changeWidth(page, 1024);
  const narrowTop = (await frame.boundingBox())?.y ?? 0;
  assert.ok(narrowTop - header < 120, `${narrowTop - header} pixels stand over the rows at 1024 pixels`);
  await changeWidth(page, 1280);
  await frame.getByText(/^text · 25(?:\.1)?\s?% empty$/).waitFor();
  await frame.getByText('0 – 449').waitFor();
  await screenshot(page, 'dataset-rows');
  assert.deepEqual(await findBarriers(page), []);

  await page.getByRole('textbox', { name: 'Go to row' }).fill('333');
  await page.keyboard.press('Enter');
  await frame.getByText('row number 333', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search all rows' }).fill('number 17');
  await page.getByText(/^\d+ rows found/).waitFor();
  await page.getByRole('searchbox', { name: 'Search all rows' }).fill('');
  await page.getByRole('button', { name: '1 unreadable row' }).click();
  await frame.getByText('This row cannot be read').waitFor();

  await page.getByRole('combobox', { name: 'File to show' }).click();
  await page.getByRole('option', { name: 'a.txt' }).click();
  await page.getByLabel('a.txt').getByText('A text.').waitFor();
  assert.match(page.url(), /[?&]file=/, 'a link shows a colleague the same file');
  await page.getByRole('tab', { name: 'Settings' }).click();
  // Half of the files: half of the bar.
  await page.getByText('.jsonl').waitFor();
  const widths = await page
    .locator('.share-bar > div')
    .evaluateAll((bars) => bars.map((bar) => (bar as unknown as { style: { width: string } }).style.width));
  assert.equal(widths[0], '50%');
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'what is compressed, in another encoding or a document is shown as a run reads it',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const rows = Array.from({ length: 300 }, (_, id) => `{"id":${id},"text":"row number ${id}"}\n`).join('');
    const id = await datasetWithFiles(session.app, 'With files', {
      'a.jsonl.gz': gzipSync(rows),
      'b.csv.zst': zstdCompressSync('name;note\nplough;12,5\n'),
      'c.parquet': await parquetOfTexts(['one', '二']),
      'd.json': '[{"name": "first"}, {"name": "second"}]',
      'e.csv': Buffer.from('name,note\nÄcker,déjà vu\n', 'latin1'),
      'f.txt.gz': gzipSync('a text that was packed'),
      'g.jsonl.gz': gzipSync(rows).subarray(0, 900),
      ...Object.fromEntries(
        Array.from({ length: 25 }, (_, at) => [`papers/${100 + at}.docx`, docxOf([`Paper ${at}`])]),
      ),
    });
    const page = await session.open(`/datasets/${id}`);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'File to show' }).click();
      await page.getByRole('option', { name, exact: true }).click();
    };
    const table = (name: string): Locator => page.getByRole('grid', { name });
    await table('a.jsonl.gz').getByText('row number 7', { exact: true }).waitFor();
    await table('a.jsonl.gz').getByText('0 – 299').waitFor();
    await page.getByRole('textbox', { name: 'Go to row' }).fill('250');
    await page.keyboard.press('Enter');
    await table('a.jsonl.gz').getByText('row number 250', { exact: true }).waitFor();
    await screenshot(page, 'dataset-compressed');
    for (const [name, cell] of [
      ['b.csv.zst', '12,5'],
      ['c.parquet', '二'],
      ['d.json', 'second'],
      ['e.csv', 'déjà vu'],
    ] as const) {
      await choose(name);
      await table(name).getByRole('gridcell', { name: cell, exact: true }).waitFor();
    }
    await choose('f.txt.gz');
    await page.getByLabel('f.txt.gz').getByText('a text that was packed').waitFor();
    await choose('g.jsonl.gz');
    await page.getByText('Only the beginning of this file can be read').waitFor();
    await page.getByRole('table', { name: 'g.jsonl.gz' }).getByText('row number 1', { exact: true }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    // Regardless of how many documents precede it.
    await choose('papers/124.docx');
    await page.getByText('Read from a document (DOCX) · 8 characters').waitFor();
    await page.getByLabel('124.docx').getByText('Paper 24').waitFor();
    assert.deepEqual(session.faults, []);
  },
);

testWith([chromium], 'a dataset of pictures is a gallery', async (t, path) => {
  const session = await startWebSession(t, path);
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const id = await datasetWithFiles(session.app, 'With files', { 'one.png': pixel, 'sub/two.png': pixel });
  const page = await session.open(`/datasets/${id}`);
  await page.getByRole('button', { name: 'Enlarge two.png' }).waitFor();
  await screenshot(page, 'gallery');
  assert.deepEqual(await findBarriers(page), []);
  // A picture is shown large; arrow keys move to its neighbours.
  await page.getByRole('button', { name: 'Enlarge one.png' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 × 1').waitFor();
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('heading', { name: 'sub/two.png · 2 / 2' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('link', { name: 'Open the file page' }).click();
  await page.getByRole('heading', { name: 'two.png' }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a name that is taken is told, with one that is free', async (t, path) => {
  const session = await startWebSession(t, path);
  await createDataset(session.app, 'Twice');
  const page = await session.open('/datasets?new=true');
  const dialog = page.getByRole('dialog', { name: 'New dataset' });
  await dialog.getByLabel('Name').fill('Twice');
  await dialog.getByText('A dataset with this name already exists.').waitFor();
  await dialog.getByRole('button', { name: 'Use “Twice 2”' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Twice 2', exact: true }).waitFor();
  assert.deepEqual(session.faults, []);
});
