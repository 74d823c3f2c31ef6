// Runs in a process of its own: other journeys create objects with English names, which its pages would show.
// How users find out what happened to their samples and files, in English and in Chinese.
import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { pdfOf } from '../support/pdf-files.ts';
import { createKnowledgeBase } from '../support/knowledge-bases.ts';
import { testWith } from '../support/tools.ts';
import { synthesiseBadly, collectBadly, profileAll, cleanBadly } from './failed-runs.ts';
import { changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'samples show what changed, are filtered by reason and found by their words', async (t, path) => {
  const session = await startWebSession(t, path);
  const { run } = await cleanBadly(session.app, 'Rye');
  const page = await session.open(`${run}/samples`);
  const table = page.getByRole('table', { name: 'Ledger' });
  await screenshot(page, 'ledger-texts');
  const changed = table.getByRole('row').filter({ hasText: 'Changed' }).first();
  await changed.scrollIntoViewIfNeeded();
  await changed.locator('.diff-text del').first().waitFor();

  await page
    .getByRole('group', { name: 'Reason' })
    .getByRole('button', { name: /^length … is below min … 13$/ })
    .click();
  await page.getByText('13 entries').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('reasonCode'), 'LENGTH_BELOW_MIN');
  const verdicts = page.getByRole('group', { name: 'Verdict' });
  assert.equal(await verdicts.getByRole('button').count(), 1, 'only what that reason leaves');
  await verdicts.getByRole('button', { name: 'Dropped 13' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'ledger-facets');
  await changeWidth(page, 390);
  assert.ok((await overflowOf(page)) <= 0);
  await screenshot(page, 'ledger-facets-390');
  await changeWidth(page, 1280);

  await session.visit(page, `${run}/samples`);
  await page.getByRole('searchbox', { name: 'Text, path or reason' }).fill('seventeenth');
  await page.getByText('1 entry').waitFor();
  await table.getByText('the seventeenth').waitFor();

  // Arrow keys continue on the next page.
  await session.visit(page, `${run}/samples?size=10`);
  await table.getByRole('row').nth(10).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText(/rows\.jsonl · Row 7$/).waitFor();
  await page.keyboard.press('j');
  await drawer.getByText(/rows\.jsonl · Row 8$/).waitFor();
  await page.keyboard.press('k');
  await drawer.getByText(/rows\.jsonl · Row 7$/).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'each file says how it was read, and what was skipped stands apart', async (t, path) => {
  const session = await startWebSession(t, path);
  const { run } = await cleanBadly(session.app, 'Spelt');
  const page = await session.open(run);
  const skipped = page.getByRole('region', { name: 'Skipped' });
  await skipped.getByText('1 input skipped, not included in the count').waitFor();
  await page.getByRole('tab', { name: 'Inputs' }).click();
  const inputs = page.getByRole('table', { name: 'Inputs' });
  const latin = inputs.getByRole('row', { name: /latin\.txt/ });
  await latin.getByText('WINDOWS-1252').waitFor();
  await latin.getByText('unsure').waitFor();
  await inputs
    .getByRole('row', { name: /sure\.txt/ })
    .getByText('likely')
    .waitFor();
  await inputs
    .getByRole('row', { name: /zipped\.jsonl\.gz/ })
    .getByText('jsonl · gzip')
    .waitFor();
  await inputs
    .getByRole('row', { name: /field\.png/ })
    .getByText(/Skipped: .*image\/png/)
    .waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'run-inputs');
  await session.visit(page, run);
  await skipped.getByRole('link', { name: /the steps are for text/ }).click();
  await page.getByText('1 entry').waitFor();
  await page
    .getByRole('group', { name: 'Reason' })
    .getByRole('button', { name: /^Not meant: the steps are for text/ })
    .waitFor();
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'no page says anything in English to a Chinese reader, even where all went wrong',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { run, task, dataset } = await cleanBadly(session.app, 'Emmer');
    const { collection, collectionRun } = await collectBadly(t, session.app);
    const profile = await profileAll(session.app, dataset);
    const { body: model } = await session.app.api<{ data: { id: string } }>('POST', '/settings/models', {
      name: '没有应答的模型',
      kind: 'CHAT',
      model: 'none',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-0123456789',
    });
    const { body: files } = await session.app.api<{ content: { id: string; filePath: string }[] }>(
      'GET',
      `/data-management/datasets/${dataset}/files`,
    );
    const { body: connectors } = await session.app.api<{ data: { content: { type: string }[] } }>(
      'GET',
      '/data-collection/connectors?size=100',
    );
    const { body: operators } = await session.app.api<{ data: { content: { id: string }[] } }>(
      'GET',
      '/operator-market/operators?size=1000',
    );
    // A scanned page, a picture, and a document that can not be read.
    const base = await createKnowledgeBase(session.app, { name: '知识 ✓' });
    await base.add({ '1.pdf': new Uint8Array(pdfOf([['小麦在秋天播种。'], []])), '2.pdf': '%PDF-1.7 nothing' });
    const documents = await base.settled();
    assert.ok(documents.some(({ receipt }) => (receipt?.warnings.length ?? 0) > 0));
    const synthesised = await synthesiseBadly(session.app);
    const page = await session.open('/', { language: 'zh' });
    const answered = followCalls(page);
    const english: string[] = [];
    const places = [
      '/',
      '/runs',
      '/cleaning',
      task,
      run,
      `${run}/samples`,
      `${run}/samples?verdict=FAILED`,
      `${run}/inputs`,
      `${run}/log`,
      `${run}/outputs`,
      `${run}/thresholds`,
      '/datasets',
      `/datasets/${dataset}/files`,
      `/datasets/${dataset}/versions`,
      `/datasets/${dataset}`,
      `/datasets/${dataset}/lineage`,
      `/datasets/${dataset}/upload`,
      `/datasets/${dataset}/settings`,
      `/datasets/${dataset}/statistics`,
      `/datasets/${dataset}/query`,
      `/datasets/${dataset}/card`,
      '/lineage?kind=OPERATOR&id=phone-masker',
      ...files.content.map(({ id }) => `/datasets/${dataset}/files/${id}`),
      '/operators',
      ...operators.data.content.map(({ id }) => `/operators/${id}`),
      '/cleaning/00000000-0000-7000-8000-000000000000',
      '/cleaning/templates',
      `/cleaning/new?dataset=${dataset}`,
      `${task}/edit`,
      profile,
      '/collection',
      '/collection/new',
      ...connectors.data.content.map(({ type }) => `/collection/new?connector=${type}`),
      collection,
      `${collection}/edit`,
      ...['', '/samples', '/log', '/outputs'].map((tab) => collectionRun + tab),
      ...['account', 'api-keys', 'users', 'about', 'models'].map((tab) => `/settings/${tab}`),
      `/settings/models/${model.data.id}`,
      '/knowledge',
      ...['', '/search?q=wheat', '/answer', '/evaluate', '/settings'].map((tab) => `/knowledge/${base.id}${tab}`),
      ...documents.map(({ id }) => `/knowledge/${base.id}/documents/${id}`),
      ...synthesised.places,
      '/nowhere',
    ];
    for (const [number, place] of places.entries()) {
      // Without reloading the application, like a link.
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(place)})`);
      await answered();
      await page.locator('main :is(h1, h2, [role=alert])').first().waitFor();
      english.push(...(await sentencesOn(page)).map((sentence) => `${place}: ${sentence}`));
      await screenshot(page, `chinese-${String(number).padStart(2, '0')}`);
    }
    // Why a run stopped, and each cause of failed calls.
    await session.visit(page, synthesised.stopped);
    await page.getByText('本次运行的预算已用完：再调用一次可能超过上限 1 次调用').waitFor();
    await session.visit(page, synthesised.failed);
    const causes = page.getByRole('list', { name: '失败的记录（按原因）' });
    await causes.getByText('模型调用失败：builtin:cloze 没有找到可提问的句子').waitFor();
    await causes.getByText('样本中没有文本；请填写“文本所在的列”').waitFor();
    await session.visit(page, `/synthesis/templates`);
    await page.getByRole('link', { name: '问答对（英文）', exact: true }).waitFor();
    // Responses to a waiting user: from a model, a source, and the validation of a form.
    await session.visit(page, `/settings/models/${model.data.id}`);
    await page.getByRole('button', { name: '测试', exact: true }).click();
    await page.getByRole('status').filter({ hasText: '端口 9 属于其他协议' }).waitFor();
    english.push(...(await sentencesOn(page)));
    await session.visit(page, `${collection}/edit`);
    await page.getByRole('textbox', { name: '网址' }).fill('http://127.0.0.1:9/rows.jsonl');
    await page.getByRole('button', { name: '测试源' }).click();
    await page.getByText(/端口 9 属于其他协议/).waitFor();
    english.push(...(await sentencesOn(page)));
    await page.getByRole('textbox', { name: '网址' }).fill('no address');
    await page.getByRole('button', { name: '测试源' }).click();
    await page
      .getByText(/须为以 http/)
      .first()
      .waitFor();
    english.push(...(await sentencesOn(page)));
    assert.deepEqual(english, []);
    assert.deepEqual(session.faults, []);
  },
);

/** Returns a function that waits until every call of a page has been answered, including those that follow. */
function followCalls(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on('request', (request) => void open.add(request));
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  return async () => {
    for (let drawn = 0; drawn < 3; drawn += 1) {
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      while (open.size > 0) await page.waitForTimeout(20);
    }
  };
}

/** Sequences of four English words anywhere except in users' own texts, names and code. */
async function sentencesOn(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const skipped = 'script, style, textarea, .prompt-text, noscript, code, pre, .diff-text, .plain-link, .example, [data-verbatim]';
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement.closest(skipped) !== null) continue;
      // Titles of papers and books are in the language that they were written in.
      const text = node.data.replaceAll(/"[^"]*"|《[^》]*》/g, '');
      if (/(?:[A-Za-z'’-]+[ ,:;]+){3}[A-Za-z]{2,}/.test(text)) found.push(node.data.trim());
    }
    return found;
  })()`)) as string[];
}
