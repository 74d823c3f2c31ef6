// Pictures: steps that fit them, and their effect in a preview and in a run.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { makePicture } from '../support/pictures.ts';
import type { RunningApp } from '../support/server.ts';
import { testWith } from '../support/tools.ts';
import {
  addStep,
  changeTheme,
  changeWidth,
  findBarriers,
  overflowOf,
  screenshot,
  startWebSession,
  themes,
} from './web-session.ts';

const widths = isLongRun ? [1280, 390] : [390];

async function datasetOf(app: RunningApp, name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'IMAGE' });
  const form = new FormData();
  for (const [path, words] of Object.entries(files)) {
    const bytes = path.endsWith('.txt') ? words : new Uint8Array((await makePicture(words)).bytes);
    form.append('files', new File([bytes], path), path);
  }
  const { status } = await app.api('POST', `/data-management/datasets/${body.id}/files/upload`, form);
  assert.equal(status, 201);
  return body.id;
}

testWith([chromium], 'pictures are seen before and after each step, in a preview and in a run', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetOf(session.app, 'Meadow', {
    'views/a large view of the meadow.jpg': 'JPEG 1600×1200, turned',
    'views/damaged.png': 'PNG 640×480, cut off',
    'views/icon.png': 'PNG 32×24',
    'views/moving.gif': 'GIF 200×150, 3 frames',
    'views/plain.webp': 'WEBP 500×300',
  });
  const page = await session.open(`/cleaning/new?dataset=${dataset}`);
  const source = page.getByRole('region', { name: 'Source' });
  await source.getByText('5 images', { exact: true }).waitFor();

  // The picker starts with fitting operators, and shows the rest on request.
  await page.getByRole('button', { name: 'Add step' }).click();
  const search = page.getByRole('searchbox', { name: 'What should the step do?' });
  await page.getByRole('button', { name: 'Add: Resize images' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add: Normalize white space' }).count(), 0);
  await page.getByText(/^For images \(\d+\)$/).waitFor();
  await screenshot(page, 'picker-images');
  await search.fill('emoji');
  await page.getByText('No operators for this source match.').waitFor();
  await page.getByRole('button', { name: /^Show \d+ match(?:es)? in all operators$/ }).click();
  await page.getByRole('button', { name: 'Add: Remove emoji' }).waitFor();
  await page.getByText('Needs text or tables; the source has none').first().waitFor();
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });

  await addStep(page, 'Filter images by resolution', 'resolution');
  await page.getByRole('textbox', { name: 'Minimum shorter side' }).fill('100');
  await addStep(page, 'Resize images');
  await page.getByRole('textbox', { name: 'Width' }).fill('300');
  await page.getByRole('textbox', { name: 'Height' }).fill('300');
  await addStep(page, 'Convert images to greyscale');

  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  const sampleOf = (name: string) => preview.locator('.preview-sample').filter({ hasText: name });
  const large = sampleOf('a large view of the meadow.jpg');
  await large.getByAltText('a large view of the meadow.jpg after').waitFor();
  await large.getByAltText('a large view of the meadow.jpg before').waitFor();
  await large.locator('figcaption').nth(1).getByText('225 × 300').waitFor();
  const captions = await large.locator('figcaption').allInnerTexts();
  assert.match(captions[0] ?? '', /^1200 × 1600 · JPEG · [\d.]+ kB$/);
  assert.match(captions[1] ?? '', /^225 × 300 · JPEG · [\d.]+ kB \(-\d+(\.\d)?%\)$/);
  await sampleOf('icon.png').getByText('the shorter side of 24 pixels is below min 100').waitFor();
  await sampleOf('icon.png').getByAltText('icon.png', { exact: true }).waitFor();
  await sampleOf('damaged.png').getByText('the picture is damaged').waitFor();
  assert.match(await sampleOf('moving.gif').locator('figcaption').first().innerText(), / · 3 frames · /);
  await large.getByRole('button', { name: 'Step by step' }).click();
  await large.getByRole('listitem').nth(2).waitFor();
  assert.equal(await large.getByRole('listitem').count(), 3);
  for (const theme of themes) {
    for (const width of widths) {
      await changeTheme(page, theme);
      await changeWidth(page, width);
      await screenshot(page, `picture-preview-${theme}-${width}`);
      assert.equal(await overflowOf(page), 0, `${width} pixels`);
    }
  }
  await changeWidth(page, 1280);
  assert.deepEqual(await findBarriers(page), []);
  await sampleOf('plain.webp').getByRole('button', { name: 'plain.webp before' }).click();
  const dialog = page.getByRole('dialog', { name: 'plain.webp' });
  await dialog.getByAltText('plain.webp after').waitFor();
  await screenshot(page, 'picture-enlarged');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByRole('tab', { name: 'Samples' }).click();
  const row = page.getByRole('row').filter({ hasText: 'a large view of the meadow.jpg' });
  await row.getByAltText('a large view of the meadow.jpg after').waitFor();
  await page.getByRole('columnheader', { name: 'Sample', exact: true }).waitFor();
  await screenshot(page, 'picture-ledger');
  await row.getByText('views/').click();
  const sample = page.getByRole('dialog');
  await sample.getByAltText('a large view of the meadow.jpg after').first().waitFor();
  await screenshot(page, 'picture-ledger-sample');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  await screenshot(page, 'picture-ledger-390');
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'pictures of one’s own are dropped on the page of an operator, and stored nowhere',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const folder = await mkdtemp(join(tmpdir(), 'tilth-pictures-'));
    t.after(() => rm(folder, { recursive: true }));
    const fileOf = async (name: string, bytes: Uint8Array): Promise<string> => {
      await writeFile(join(folder, name), bytes);
      return join(folder, name);
    };
    const meadow = await fileOf('meadow.jpg', (await makePicture('JPEG 640×480')).bytes);
    const notes = await fileOf('notes.txt', Buffer.from('words'));
    const countDatasets = async (): Promise<number> =>
      (await session.app.api<{ totalElements: number }>('GET', '/data-management/datasets')).body.totalElements;
    const before = await countDatasets();
    const page = await session.open('/operators/image-resizer');
    const trial = page.getByRole('region', { name: 'Try it' });
    await trial.getByText('Drop them on this page').waitFor();

    const browser = await page.context().newCDPSession(page);
    const drop = async (file: string): Promise<void> => {
      const target = page.locator('.drop-target').filter({ hasText: 'Try these images' });
      let at = { x: 300, y: 300 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        if (type === 'dragOver') {
          const box = await target.boundingBox();
          assert.ok(box !== null);
          at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }
        await browser.send('Input.dispatchDragEvent', {
          type,
          ...at,
          data: { items: [], files: [file], dragOperationsMask: 1 },
        });
        if (type === 'dragEnter') await target.waitFor();
      }
    };
    await drop(notes);
    await trial.getByText('notes.txt does not have the extension of an image file.').waitFor();
    await drop(meadow);
    const result = trial.getByRole('status', { name: 'Result' });
    await result.getByText('meadow.jpg').waitFor();
    await result.getByRole('img').first().waitFor();
    assert.equal(await trial.getByText('notes.txt does not have the extension of an image file.').count(), 0);
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'own-pictures');
    await changeWidth(page, 390);
    await screenshot(page, 'own-pictures-390');
    assert.equal(await overflowOf(page), 0);
    assert.equal(await countDatasets(), before, 'nothing is stored');
    await trial.getByRole('button', { name: 'Remove these images' }).click();
    await trial.getByText('Choose a dataset to try the operator on its images').waitFor();
    assert.deepEqual(session.faults, []);
  },
);
