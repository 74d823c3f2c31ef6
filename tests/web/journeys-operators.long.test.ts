// Operators: found by everyday words, grouped by what they do, measured here, and tried on any text.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { makePicture } from '../support/pictures.ts';
import { testWith } from '../support/tools.ts';
import {
  changeTheme,
  changeWidth,
  findBarriers,
  overflowOf,
  screenshot,
  startWebSession,
  themes,
} from './web-session.ts';

testWith([chromium], 'an operator is found by everyday words and tried at once', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/operators');
  await page.getByRole('heading', { name: 'Mask personal data' }).waitFor();
  await page
    .getByRole('row', { name: /^Mask web addresses/ })
    .getByText(/^[\d,]+ per s$/)
    .waitFor();
  assert.deepEqual(await findBarriers(page), []);
  for (const width of isLongRun ? [1440, 390] : [390]) {
    await changeWidth(page, width);
    await screenshot(page, `operators-groups-${width}`);
    assert.equal(await overflowOf(page), 0, `${width} pixels`);
  }
  await changeWidth(page, 1280);
  await page.getByRole('button', { name: /^Remove duplicates \(\d+\)$/ }).click();

  const search = page.getByRole('searchbox', { name: 'What should the step do?' });
  await search.fill('hide links');
  await page.getByRole('heading', { name: 'Mask personal data' }).waitFor({ state: 'detached' });
  assert.match((await page.getByRole('row').nth(1).innerText()) ?? '', /^Mask web addresses/);
  await search.fill('zebra xylophone');
  await page.getByText('No matching operators').waitFor();
  await page.getByRole('button', { name: 'Show all operators' }).click();
  await page.getByRole('link', { name: 'Mask web addresses' }).click();

  const trial = page.getByRole('region', { name: 'Try it' });
  const result = trial.getByRole('status', { name: 'Result' });
  await result.getByText('Changed').waitFor();
  await trial.getByRole('textbox', { name: 'Text' }).fill('Read https://example.org/a today.');
  await result.getByText(' today.').waitFor();
  assert.equal(await result.locator('ins').innerText(), '[URL]');
  await trial.getByRole('textbox', { name: 'Text' }).fill('Nothing to hide.');
  await result.getByText('Kept').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  for (const theme of themes) {
    await changeTheme(page, theme);
    await screenshot(page, `operator-trial-${theme}`);
  }
  await changeWidth(page, 390);
  await screenshot(page, 'operator-trial-390');
  assert.equal(await overflowOf(page), 0);

  const filter = await session.open('/operators/text-length-filter');
  const filtered = filter.getByRole('region', { name: 'Try it' });
  await filtered.getByRole('textbox', { name: 'Text', exact: true }).fill('short');
  await filtered.getByRole('textbox', { name: 'Maximum length' }).fill('20');
  await filtered.getByRole('textbox', { name: 'Minimum length' }).fill('10');
  await filtered.getByText(/^Score \d+$/).waitFor();
  await filtered.getByText('Dropped', { exact: true }).waitFor();
  await filtered.getByRole('textbox', { name: 'Maximum length' }).fill('3');
  await filtered.getByRole('alert').waitFor();

  const set = await session.open('/operators/exact-deduplicator', { language: 'zh' });
  const compared = set.getByRole('region', { name: '试一试' });
  await compared.getByRole('textbox', { name: '文本，每行一个' }).fill('一\n二\n一');
  await compared.locator('.example').nth(2).filter({ hasText: '一' }).getByText('剔除').waitFor();
  await screenshot(set, 'operator-trial-zh');

  // A user with read access sees the examples.
  await filter.route('**/api/v1/auth/me', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), role: 'VIEWER' } });
  });
  await filter.reload();
  await filter.getByRole('heading', { name: 'Examples' }).waitFor();
  assert.equal(await filtered.count(), 0);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'examples and trials begin with something to see', async (t, path) => {
  const session = await startWebSession(t, path);
  const mix = await session.open('/operators/mix-selector');
  const trial = mix.getByRole('region', { name: 'Try it' });
  await trial.getByText('over the share of "*": 2 of 3 samples stay').waitFor();
  const examples = mix.getByRole('region', { name: 'Examples' });
  assert.equal(await examples.getByText('Two samples in total').count(), 1, 'samples of one set stand together');
  assert.equal(await examples.locator('.example').first().locator('.diff-text').count(), 3);

  const near = await session.open('/operators/minhash-deduplicator', { language: 'zh' });
  await near.getByText('样本 1').first().waitFor();
  assert.equal(await near.getByText('{sample').count(), 0);

  const graded = await session.open('/operators/model-quality-filter');
  await graded.getByText('Fill in the parameters to see the result.').waitFor();
  assert.equal(await graded.getByText('This model no longer exists').count(), 0);

  const length = await session.open('/operators/text-length-filter', { width: 390 });
  assert.notEqual(await length.getByRole('textbox', { name: 'Text', exact: true }).inputValue(), '');
  const params = length.getByRole('region', { name: 'Parameters' });
  await params.getByText('Shorter samples are dropped').locator('visible=true').waitFor();
  const [all, seen] = await Promise.all([params.locator('table').boundingBox(), params.boundingBox()]);
  assert.ok(all !== null && seen !== null && all.x + all.width <= seen.x + seen.width, 'nothing is cut off');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'an operator of pictures is tried on those of a dataset', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Pond', type: 'IMAGE' });
  const form = new FormData();
  for (const [name, words] of [
    ['sharp.png', 'PNG 64×48'],
    ['plain.png', 'PNG 64×48, plain 60'],
  ] as const) {
    form.append('files', new File([new Uint8Array((await makePicture(words)).bytes)], name), name);
  }
  form.append('files', new File(['words'], 'notes.txt'), 'notes.txt');
  assert.equal((await api('POST', `/data-management/datasets/${body.id}/files/upload`, form)).status, 201);

  const page = await session.open('/operators/image-blur-filter');
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByText('Choose a dataset to try the operator on its images').waitFor();
  await trial.getByRole('combobox', { name: 'Dataset with images' }).fill('Pond');
  await page.getByRole('option', { name: 'Pond' }).click();
  await trial.getByText('the sharpness 0 is below min 100').waitFor();
  await trial.getByAltText('sharp.png', { exact: true }).waitFor();
  assert.equal(await trial.locator('.example').count(), 2);
  await trial.getByRole('textbox', { name: 'Minimum sharpness' }).fill('0');
  await trial.getByText('the sharpness 0 is below min 100').waitFor({ state: 'detached' });
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'operator-pictures');
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(session.faults, []);
});
