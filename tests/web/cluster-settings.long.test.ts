// What administrators see of a Ray cluster, with a fake head.
import assert from 'node:assert/strict';
import { buildWeb } from '../../scripts/web-build.mjs';
import { startRayHead } from '../fakes/ray-head.ts';
import { chromium, launchChromium } from '../support/chromium.ts';
import { openClusterPlace, startService, withRay } from '../support/cluster-service.ts';
import { postgres } from '../support/postgres.ts';
import { adminPassword } from '../support/server.ts';
import { versitygw } from '../support/versitygw.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, patienceMs, screenshot } from './web-session.ts';

const token = 'the token of the head';

testWith(
  [chromium, postgres, versitygw],
  'administrators see whether the cluster can be used',
  async (t, path = '') => {
    await buildWeb(process.execPath);
    const head = await startRayHead(t, token);
    const place = await openClusterPlace(t);
    const service = await startService(t, withRay(place, { url: head.url, token }));
    const browser = await launchChromium(t, path);
    const page = await browser.newPage({ locale: 'en-US', reducedMotion: 'reduce' });
    page.setDefaultTimeout(patienceMs);
    await page.goto(`${service.url}/settings/nodes`);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/^0 of at most \d+ runs$/).waitFor();
    await page.getByText('Reachable', { exact: true }).waitFor();
    await screenshot(page, 'cluster');
    assert.deepEqual(await findBarriers(page), []);
    head.decide = () => ({ status: 403, body: 'Forbidden: Invalid authentication token' });
    await page.getByText('403 Forbidden: Invalid authentication token').waitFor();
    await page.getByText('Rejects requests', { exact: true }).waitFor();
    await screenshot(page, 'cluster refuses');
  },
);
