// Files from the web, over SSH and from Git become a dataset, a second time with only what changed.
import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFileServer } from '../fakes/file-server.ts';
import { chromium } from '../support/chromium.ts';
import { gitTool, startGitServer } from '../support/git-server.ts';
import { pamWrapper, sshd, sshKeygen, startSshd } from '../support/sshd.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'files come in from the web, and the second run fetches only the change', async (t, path) => {
  const session = await startWebSession(t, path);
  const server = await startFileServer(t);
  server.answers.set('/rows.jsonl', '{"text":"a first row"}\n{"text":"a second row"}\n');
  server.answers.set('/notes.txt', 'Some notes.\n');

  const page = await session.open('/collection');
  await page.getByRole('button', { name: 'New collection task' }).first().click();
  await page.getByRole('heading', { name: 'Where is the data?' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'collection-gallery');
  await page.getByRole('button', { name: /^Files from the web/ }).click();

  const urls = ['rows.jsonl', 'notes.txt', 'gone.txt'].map((name) => `${server.url}/${name}`);
  await page.getByRole('textbox', { name: 'Urls' }).fill(urls.slice(0, 2).join('\n'));
  await page.getByRole('textbox', { name: 'Bearer token' }).fill('planted-token-0123456789');
  await page.getByRole('button', { name: 'Test the source' }).click();
  const test = page.getByRole('region', { name: 'Test', exact: true });
  await test
    .getByRole('cell', { name: /rows\.jsonl/ })
    .first()
    .waitFor();
  await page.getByRole('columnheader', { name: 'Content type' }).waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes from the web');
  await page.getByRole('checkbox', { name: 'Run on a schedule' }).check();
  await page.getByText(/At 03:00/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'collection-form');
  await page.getByRole('button', { name: 'Save and run' }).click();

  await page.getByRole('heading', { name: 'Notes from the web #1' }).waitFor();
  await page.getByText('Collected', { exact: true }).waitFor();
  await screenshot(page, 'collection-run');
  await page.getByRole('tab', { name: 'Items' }).click();
  await page.getByRole('row', { name: /notes\.txt/ }).click();
  await page
    .getByRole('dialog')
    .getByText(/Details from the source/)
    .waitFor();
  await screenshot(page, 'collection-item');
  await page.keyboard.press('Escape');
  const address = new URL(page.url()).pathname.split('/');
  const taskId = address[2] ?? '';

  const { api } = session.app;
  type Task = { targetDatasetId: string; connector: { storedSecrets: string[]; config: Record<string, unknown> } };
  const taskOf = async (): Promise<Task> =>
    (await api<{ data: Task }>('GET', `/data-collection/tasks/${taskId}`)).body.data;
  const { targetDatasetId, connector } = await taskOf();
  assert.deepEqual([connector.storedSecrets, connector.config.bearerToken], [['bearerToken'], null]);
  const versionOf = async (): Promise<number> =>
    (await api<{ version: number }>('GET', `/data-management/datasets/${targetDatasetId}`)).body.version;
  const version = await versionOf();

  await session.visit(page, `/collection/${taskId}`);
  await page.getByText('•••••• (stored)').waitFor();
  await page.getByRole('heading', { name: 'Fetched so far' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'collection-task');
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'Notes from the web #2' }).waitFor();
  await page.getByText('Nothing new at the source').waitFor();
  await page
    .getByRole('region', { name: 'Item counts' })
    .getByText(/^\s*Unchanged or filtered 100\s?%$/)
    .waitFor();
  await screenshot(page, 'collection-unchanged');
  assert.equal(await versionOf(), version, 'an unchanged source adds no version');

  await session.visit(page, `/collection/${taskId}/edit`);
  await page.getByText(/A value is stored; leave this empty to keep it/).waitFor();
  await page.getByRole('textbox', { name: 'Urls' }).fill(urls.join('\n'));
  server.answers.set('/notes.txt', 'Other notes.\n');
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByRole('heading', { name: 'Notes from the web #3' }).waitFor();
  const failures = page.getByRole('list', { name: 'Failed items by reason' });
  await failures.waitFor();
  await screenshot(page, 'collection-failed');
  await failures.getByRole('link').first().click();
  await page.getByRole('row', { name: /gone\.txt/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2, 'the reason leads to its items alone');
  assert.deepEqual((await taskOf()).connector.storedSecrets, ['bearerToken'], 'the secret stays');
  assert.ok(server.requests.at(-1)?.headers.authorization?.endsWith('planted-token-0123456789'));

  await session.visit(page, `/collection/${taskId}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Fetch again from the start' }).click();
  await page.getByRole('button', { name: 'Fetch everything' }).click();
  await page.getByRole('heading', { name: 'Notes from the web #4' }).waitFor();
  await failures.waitFor();
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium, sshKeygen, sshd, pamWrapper, gitTool],
  'files come in over SSH, once its host key is confirmed, and from a Git repository',
  async (t, path, keygen, _sshd, _pam, git) => {
    const session = await startWebSession(t, path);
    const server = await startSshd(t, { keygen });
    const longAgo = new Date(1_700_000_000_000);
    for (const name of ['first.txt', 'second.txt']) {
      await writeFile(join(server.folder, name), `the ${name}`);
      await utimes(join(server.folder, name), longAgo, longAgo);
    }
    const repository = await startGitServer(t, { git });
    await writeFile(join(repository.folder, 'rows.jsonl'), '{"text":"a row"}\n');
    const commit = repository.commit();

    const page = await session.open('/collection/new');
    const fill = (name: string, value: string) =>
      page.getByRole('textbox', { name: new RegExp(`^${name}\\s*\\*?$`) }).fill(value);
    const test = page.getByRole('region', { name: 'Test', exact: true });
    await page.getByRole('button', { name: /^SFTP/ }).click();
    const { host, port, user, password, hostKey } = server.config;
    await fill('Host', host);
    await fill('Port', String(port));
    await fill('User', user);
    await fill('Password', password);
    await fill('Path', server.folder);
    await page.getByRole('button', { name: 'Test the source' }).click();
    const shown = (await test.getByRole('status').textContent()) ?? '';
    assert.ok(shown.includes(`shows the host key ${hostKey} (ssh-ed25519)`), shown);
    await screenshot(page, 'collection-host-key');
    await fill('Host key', /SHA256:[A-Za-z0-9+/]+/.exec(shown)?.[0] ?? '');
    await page.getByRole('button', { name: 'Test the source' }).click();
    await test.getByRole('cell', { name: 'first.txt' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await fill('Name', 'From afar');
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.getByRole('heading', { name: 'From afar #1' }).waitFor();
    await page.getByText('Collected', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('row', { name: /second\.txt/ }).waitFor();
    await writeFile(join(server.folder, 'third.txt'), 'new');
    await session.visit(page, `/collection/${new URL(page.url()).pathname.split('/')[2]}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('heading', { name: 'From afar #2' }).waitFor();
    await page.getByText('Collected', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('row', { name: /third\.txt/ }).waitFor();
    await page.getByRole('row', { name: /first\.txt.*unchanged/ }).waitFor();

    await session.visit(page, `/collection/new`);
    await page.getByRole('button', { name: /^Git repository/ }).click();
    await fill('URL', repository.url);
    await page.getByRole('button', { name: 'Test the source' }).click();
    await test.getByText(`HEAD is at commit ${commit.slice(0, 12)}`).waitFor();
    await test.getByRole('cell', { name: 'rows.jsonl' }).waitFor();
    await fill('Name', 'From a repository');
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.getByRole('heading', { name: 'From a repository #1' }).waitFor();
    await page.getByText('Collected', { exact: true }).waitFor();
    assert.deepEqual(session.faults, []);
  },
);
