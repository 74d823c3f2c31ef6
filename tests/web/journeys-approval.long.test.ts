// An administrator decides on an operator that asks for more than it may have.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { formOf, packageOf, tgz } from '../support/operator-packages.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'an administrator approves what an operator asks for, and strange readmes do nothing',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { api } = session.app;
    const readme = [
      '# Rewrites',
      '<script>document.title = "taken"</script><img src=x onerror="document.title = 1">',
      '[bad](javascript:alert(1)) [good](https://example.org)',
      '![A chart](https://pictures.example/chart.png) ![local](chart.png)',
      '| a | b |\n|---|---|\n| 1 | `2` |',
    ].join('\n\n');
    const asks = { id: 'rewriter', title: 'Rewrite', capabilities: ['models'], models: ['small'] };
    const form = formOf(tgz(packageOf(asks, undefined, { 'README.md': readme })));
    assert.equal((await api('POST', '/operator-market/operators', form)).status, 201);

    const password = 'a long enough password';
    await api('POST', '/auth/users', { username: 'market-erin', password, role: 'EDITOR' });
    const editor = await session.open('/market/operators/rewriter', { signedIn: false });
    const foreign: string[] = [];
    editor.on('request', (request) => {
      if (!request.url().startsWith(session.app.url) && /^https?:/.test(request.url())) foreign.push(request.url());
    });
    await editor.getByLabel('Username').fill('market-erin');
    await editor.getByRole('textbox', { name: 'Password' }).fill(password);
    await editor.getByRole('button', { name: 'Sign in' }).click();
    await editor.getByRole('heading', { name: 'Rewrites' }).waitFor();
    const readmePanel = editor.getByRole('region', { name: 'Readme' });
    await readmePanel.getByText('<script>').waitFor();
    assert.deepEqual(
      await readmePanel.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ['https://example.org', 'https://pictures.example/chart.png'],
    );
    assert.equal(await readmePanel.locator('img, script').count(), 0);
    assert.match(await editor.title(), /^Rewrite/);
    assert.deepEqual(foreign, [], 'nothing is asked for elsewhere');

    // An editor rates it with the keyboard.
    const ratings = editor.getByRole('region', { name: 'Ratings' });
    await ratings.getByRole('radio', { name: '3 stars' }).focus();
    await editor.keyboard.press('ArrowRight');
    await editor.keyboard.press('Space');
    await ratings.getByText('4 out of 5, from 1 rating').waitFor();

    // An editor sees the capabilities that it needs, and whom to ask.
    await editor.getByText('Uses models').first().waitFor();
    await editor.getByRole('button', { name: 'Install 1.0.0' }).click();
    const asked = editor.getByRole('dialog');
    await asked.getByText('An administrator must approve this').waitFor();
    assert.equal(await asked.getByRole('button', { name: 'Install 1.0.0' }).isDisabled(), true);
    await screenshot(editor, 'market-asks');

    const admin = await session.open('/market/operators/rewriter');
    await admin.getByRole('button', { name: 'Install 1.0.0' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Approve and install' }).click();
    await admin.getByText('An administrator has approved this.').waitFor();
    await admin.getByRole('button', { name: 'More actions' }).click();
    await admin.getByRole('menuitem', { name: 'Disable' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await admin.getByRole('button', { name: 'Enable' }).click();
    await admin.getByText('Rewrite is enabled').waitFor();

    await session.visit(admin, `/market/publishers`);
    await admin.getByRole('button', { name: 'Add a key' }).first().click();
    const adding = admin.getByRole('dialog');
    await adding.getByRole('textbox', { name: 'Publisher' }).fill('Erin');
    await adding.getByRole('textbox', { name: 'Public key' }).fill('no key');
    await adding.getByRole('button', { name: 'Add a key' }).click();
    await adding.getByText('Paste the public key with its lines').waitFor();
    const pem =
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----';
    await adding.getByRole('textbox', { name: 'Public key' }).fill(pem);
    await adding.getByRole('button', { name: 'Add a key' }).click();
    await admin.getByRole('cell', { name: 'Erin', exact: true }).waitFor();
    assert.deepEqual(await findBarriers(admin), []);
    await admin.getByRole('button', { name: 'Delete the key of Erin?' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click();
    await admin.getByRole('heading', { name: 'No publisher keys yet' }).waitFor();
    assert.deepEqual(session.faults, []);
  },
);
