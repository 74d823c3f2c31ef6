// Searches and answers of a knowledge base, and the measures by which its settings are chosen, as users see them.
import assert from 'node:assert/strict';
import { startProvider, streamed } from '../fakes/model-provider.ts';
import { chromium } from '../support/chromium.ts';
import { createKnowledgeBase, soil } from '../support/knowledge-bases.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

/** The response of the service while the index of a knowledge base is being rebuilt. */
const indexRebuilding = {
  status: 503,
  headers: { 'retry-after': '0' },
  json: { errorCode: 'KNOWLEDGE_BASE_INDEX_REBUILDING', code: 503, message: 'UNAVAILABLE', error: 'Wait' },
};

/** Its response while documents are added to the new index beside the current one. */
const nextBuilding = {
  status: 409,
  headers: { 'retry-after': '0' },
  json: {
    errorCode: 'REBUILD_NOT_READY',
    errorParams: { status: 'BUILDING' },
    code: 409,
    message: 'REBUILD_NOT_READY',
    error: 'Wait',
  },
};

testWith([chromium], 'a search says why it found what, and leads to the place', async (t, path) => {
  const session = await startWebSession(t, path);
  const base = await createKnowledgeBase(session.app, { name: 'Soil lore', chunking: { size: 90, overlap: 0 } });
  const page = await session.open(`/knowledge/${base.id}/search`);
  await page.getByRole('heading', { name: 'There is nothing to search yet' }).waitFor();
  await base.add({ 'soil.md': soil, 'wheat.txt': 'Wheat is sown in autumn.' });
  await base.settled();
  await session.visit(page, `/knowledge/${base.id}/search`);
  await page.getByRole('searchbox', { name: 'Question or words' }).fill('disc harrow');
  await page.keyboard.press('Enter');
  const first = page.getByRole('region', { name: 'Hits' }).getByRole('listitem').first();
  await first.getByRole('link', { name: 'soil.md' }).waitFor();
  assert.deepEqual(await first.locator('mark').allTextContents(), ['disc', 'harrow']);
  await first.getByRole('button', { name: 'Why this?' }).click();
  await first.getByRole('row', { name: /By words .*\(BM25\) no\. 1 0\.75/ }).waitFor();
  await first.getByText(/0\.25 \+ 0\.75 = 1\.00/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'knowledge-search');

  const query = page.getByRole('searchbox', { name: 'Question or words' });
  await query.fill('zyzzyva');
  await page.keyboard.press('Enter');
  await page.getByText(/^No hit contains a word of the query\./).waitFor();
  await first.getByText(/^It contains no word of the query/).waitFor();
  await query.fill('disc harrow');
  await page.keyboard.press('Enter');
  await first.locator('mark').first().waitFor();

  await page.getByText('By words', { exact: true }).first().click();
  await first.getByText(/b \/ \(b \+ 5\)/).waitFor();
  await page.getByRole('button', { name: 'Options and filters' }).click();
  const documents = page.getByRole('combobox', { name: 'Documents' });
  await documents.fill('soil');
  await page.getByRole('option', { name: 'soil.md' }).click();
  await documents.press('Escape');
  await page.getByRole('textbox', { name: 'Chunks around each hit' }).fill('1');
  await first.getByText(/Irrigation brings water/).waitFor();
  assert.match(page.url(), /documents=.*expand=1|expand=1.*documents=/);
  await page.getByRole('combobox', { name: 'File types' }).fill('txt');
  await page.keyboard.press('Enter');
  await page.getByText('No chunk matches the filters and the minimum score.').waitFor();
  assert.match(page.url(), /mode=KEYWORD.*types=txt|types=txt.*mode=KEYWORD/, 'the address is the search');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await first.getByRole('link', { name: 'soil.md' }).click();
  await page.getByRole('heading', { name: 'soil.md' }).waitFor();
  await page.getByText('Chunk 2 · characters 8 to 91 · Soil').waitFor();
  assert.match(await page.locator('.chunk-segment[data-chosen]').innerText(), /A disc harrow cuts the roots/);
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'an answer is written as it comes, with sources that open, and none is made up',
  async (t, path) => {
    const session = await startWebSession(t, path, { isEmpty: true });
    const base = await createKnowledgeBase(session.app, { name: 'Asked lore' });
    await base.add({ 'soil.md': soil });
    await base.settled();
    const page = await session.open(`/knowledge/${base.id}/answer`);
    await page.getByRole('heading', { name: 'No model that can answer is set up' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    const provider = await startProvider(t, streamed(['A disc harrow ', 'cuts roots [1, 9].']));
    await session.app.api('POST', '/settings/models', {
      name: 'Writer',
      kind: 'CHAT',
      model: 'writer',
      baseUrl: provider.baseUrl,
    });
    // The question is asked before the models are loaded, and while the index is being rebuilt: it is not lost.
    const isListed = Promise.withResolvers<void>();
    await page.route('**/api/v1/settings/models*', async (route) => {
      await isListed.promise;
      await route.continue();
    });
    const isIndexed = Promise.withResolvers<void>();
    let refused = 0;
    await page.route('**/api/v1/**/answer', async (route) => {
      if ((refused += 1) === 1) return route.fulfill(indexRebuilding);
      await isIndexed.promise;
      return route.continue();
    });
    await page.reload();
    await page.getByRole('textbox', { name: 'Question' }).fill('What does a disc harrow cut?');
    await page.keyboard.press('Enter');
    await page.getByText('Searching, then writing…').waitFor();
    isListed.resolve();
    await page
      .getByRole('status')
      .getByText(/^The index of this knowledge base is being rebuilt\./)
      .waitFor();
    isIndexed.resolve();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('A disc harrow cuts roots').waitFor();
    await answer.getByRole('heading', { name: 'Sources' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-answer');
    await page.getByRole('textbox', { name: 'Question' }).fill('zyzzyva');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('The documents do not answer this').waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('What does a disc harrow cut?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await answer.getByRole('link', { name: 'Source 1: soil.md' }).click();
    await page.getByRole('heading', { name: 'soil.md' }).waitFor();
    assert.deepEqual(session.faults, []);
  },
);

testWith(
  [chromium],
  'sizes are tried before they are used, and another index is compared before it is switched to',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const base = await createKnowledgeBase(session.app, { name: 'Cut lore', chunking: { size: 90, overlap: 0 } });
    await base.add({
      'soil.md': soil,
      'wheat.txt': 'Wheat is sown in autumn. It ripens in summer and is cut in July.',
    });
    await base.settled();
    const page = await session.open(`/knowledge/${base.id}/settings`);
    const settings = page.getByRole('region', { name: 'Model and chunking' });
    await settings.getByRole('img', { name: 'Chunks by size' }).waitFor();
    await settings.getByText('Pasted text', { exact: true }).click();
    await settings.getByRole('textbox', { name: 'Pasted text' }).fill('One is here. Two is here. Three is here.');
    await settings.getByText(/^1 chunk · /).waitFor();
    await settings.getByRole('slider', { name: 'Maximum chunk size' }).press('Home');
    await settings.getByText(/^\d\d chunks · 1 to 1 /).waitFor();
    await settings.getByRole('textbox', { name: 'Maximum chunk size' }).fill('30');
    await settings.getByText(/^2 chunks · /).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-chunking');

    await page.getByRole('button', { name: 'Build, then compare' }).click();
    const rebuild = page.getByRole('region', { name: 'New index' });
    await rebuild.getByRole('heading', { name: 'The new index is complete' }).waitFor();
    // The page waits for an index that is still being built; the user need not ask again.
    const isIndexed = Promise.withResolvers<void>();
    let refused = 0;
    await page.route('**/api/v1/**/evaluate', async (route) => {
      if ((refused += 1) === 1) return route.fulfill(indexRebuilding);
      if (refused === 2) return route.fulfill(nextBuilding);
      await isIndexed.promise;
      return route.continue();
    });
    await rebuild.getByRole('button', { name: 'Compare both' }).click();
    await rebuild.getByText('The new index is still being built.', { exact: false }).waitFor();
    assert.equal(await rebuild.getByRole('alert').count(), 0);
    isIndexed.resolve();
    await rebuild.getByRole('img', { name: /^New index .*Recall@k/ }).waitFor();
    await rebuild.getByRole('row', { name: /^Current index · Both · 10 hits/ }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'knowledge-compare');
    await rebuild.getByRole('button', { name: 'Use the new index' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the new index' }).click();
    await rebuild.waitFor({ state: 'detached' });
    const { body } = await session.app.api<{ data: { chunking: { size: number } } }>('GET', base.path);
    assert.equal(body.data.chunking.size, 30);

    // Another new index is discarded.
    await settings.getByRole('textbox', { name: 'Maximum chunk size' }).fill('60');
    await page.getByRole('button', { name: 'Build, then compare' }).click();
    await rebuild.getByRole('button', { name: 'Discard the new index' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard the new index' }).click();
    await rebuild.waitFor({ state: 'detached' });
    assert.deepEqual(session.faults, []);
  },
);

testWith([chromium], 'settings are measured side by side, on made and on given questions', async (t, path) => {
  const session = await startWebSession(t, path);
  const base = await createKnowledgeBase(session.app, { name: 'Measured lore', chunking: { size: 90, overlap: 0 } });
  await base.add({ 'soil.md': soil, 'wheat.txt': 'Wheat is sown in autumn. It ripens in summer and is cut in July.' });
  await base.settled();
  const page = await session.open(`/knowledge/${base.id}/evaluate`);
  const results = page.getByRole('region', { name: 'Results' });
  const isIndexed = Promise.withResolvers<void>();
  let refused = 0;
  await page.route('**/api/v1/**/evaluate', async (route) => {
    if ((refused += 1) === 1) return route.fulfill(indexRebuilding);
    await isIndexed.promise;
    return route.continue();
  });
  await page.getByRole('button', { name: 'Run evaluation' }).click();
  await page
    .getByRole('status')
    .getByText(/^The index of this knowledge base is being rebuilt\./)
    .waitFor();
  isIndexed.resolve();
  await results.getByRole('row', { name: /^By words · 10 hits/ }).waitFor();
  assert.equal(await results.getByRole('img').count(), 9, 'three settings, three figures');
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'knowledge-evaluate');

  await page.getByText('Your own', { exact: true }).click();
  const csv = 'question,document\nWhen is wheat sown?,wheat.txt\nWho?,nowhere.txt\n';
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'questions.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('alert').getByText('Row 3 was skipped: there is no document with that name').waitFor();
  await page.getByRole('button', { name: 'Remove setting 3' }).click();
  await page.getByRole('button', { name: 'Run evaluation' }).click();
  await results.getByText('Mean over 1 question', { exact: true }).waitFor();
  await results.getByRole('row', { name: /^Both · 10 hits 1\.00/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);

  // A user with read access sees the actions they may use, and no others.
  const { api } = session.app;
  const password = 'correct horse battery';
  await api('POST', '/auth/users', { username: 'knowledge-vera', password, role: 'VIEWER' });
  const visitor = await session.open(`/knowledge/${base.id}`, { signedIn: false });
  await visitor.context().request.post(`${session.app.url}/api/v1/auth/login`, {
    data: { username: 'knowledge-vera', password, cookie: true },
  });
  await visitor.goto(`${session.app.url}/knowledge/${base.id}`);
  await visitor.getByRole('row', { name: /wheat\.txt/ }).waitFor();
  assert.deepEqual(await visitor.getByRole('tab').allTextContents(), ['Documents', 'Search', 'Settings']);
  for (const name of ['Choose files', /^Actions for/, 'Choose files from a dataset'])
    assert.equal(await visitor.getByRole('button', { name }).count(), 0, String(name));
  assert.equal(await visitor.getByRole('checkbox').count(), 0, 'nothing is chosen to be deleted');
  await visitor.getByRole('link', { name: 'Knowledge' }).first().click();
  await visitor.getByRole('row', { name: /Measured lore/ }).waitFor();
  assert.equal(await visitor.getByRole('button', { name: 'New knowledge base' }).count(), 0);
  await visitor.goBack();
  await visitor.getByRole('tab', { name: 'Settings' }).click();
  await visitor
    .getByRole('region', { name: 'Model and chunking' })
    .getByText(/^\d+ chunks? · /)
    .waitFor();
  await session.visit(visitor, `/knowledge/${base.id}/answer?q=wheat`);
  await visitor.getByRole('heading', { name: 'Editor role required' }).waitFor();
  assert.equal(await visitor.getByRole('textbox', { name: 'Question' }).count(), 0);
  await visitor.getByRole('link', { name: 'Search instead' }).click();
  await visitor.getByRole('searchbox', { name: 'Question or words' }).waitFor();
  await visitor.getByRole('tab', { name: 'Settings' }).click();
  await visitor
    .getByRole('region', { name: 'Model and chunking' })
    .getByText(/^\d+ chunks? · /)
    .waitFor();
  for (const name of ['Save', 'Delete the knowledge base', 'Build, then compare'])
    assert.equal(await visitor.getByRole('button', { name }).count(), 0, name);
  assert.deepEqual(session.faults, []);
});
