// Every page in all its states: empty, full, waiting, and refused by the service.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { emptyPlaces, fill, fullPlaces, heading, withoutData, type Filled } from './places.ts';
import { windowSize } from './visitors.ts';
import {
  changeTheme,
  changeWidth,
  findBarriers,
  overflowOf,
  screenshot,
  startWebSession,
  type WebSession,
} from './web-session.ts';

/** Pages that `npm test` examines more closely: one for each kind of list, head and table. The long test examines all. */
const samples: ReadonlySet<string> = new Set([
  'home',
  'datasets',
  'dataset',
  'run',
  'samples',
  'knowledge-documents',
  'market-package',
  'account',
]);

/** Those of them that `npm test` opens while the service keeps them waiting. */
const waiting: ReadonlySet<string> = new Set(['datasets', 'dataset', 'run']);

testWith([chromium], 'empty pages teach, without barriers', async (t, path) => {
  const session = await startWebSession(t, path, { isEmpty: true });
  const page = await session.open('/');
  const barriers: string[] = [];
  for (const place of emptyPlaces) {
    await session.visit(page, place.path);
    await place.ready(page);
    await screenshot(page, `empty-light-${place.name}`);
    for (const barrier of await findBarriers(page)) barriers.push(`${place.name}: ${barrier}`);
  }
  const signIn = await session.open('/sign-in', { signedIn: false, theme: 'dark' });
  await heading('Sign in')(signIn);
  await screenshot(signIn, 'sign-in-dark');
  barriers.push(...(await findBarriers(signIn)), ...(await findBarriers(signIn, ['color-contrast'])));
  assert.deepEqual(barriers, []);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'full pages show what there is, and pages of each kind have no barriers', async (t, path) => {
  // Lists show the newest first, so nothing else may fill their first pages.
  const session = await startWebSession(t, path, { isEmpty: true });
  const filled = await fill(session.app);
  const page = await session.open('/');
  const barriers: string[] = [];
  for (const place of fullPlaces(filled)) {
    await session.visit(page, place.path);
    await place.ready(page);
    if (!samples.has(place.name)) continue;
    for (const barrier of await findBarriers(page)) barriers.push(`${place.name}: ${barrier}`);
    await changeTheme(page, 'dark');
    for (const barrier of await findBarriers(page, ['color-contrast']))
      barriers.push(`${place.name}, dark: ${barrier}`);
    await changeTheme(page, 'light');
    await changeWidth(page, 360);
    const overflow = await overflowOf(page);
    if (overflow > 0) barriers.push(`${place.name} is ${overflow} wider than 360 pixels`);
    await changeWidth(page, windowSize.width);
  }
  assert.deepEqual(barriers, []);
  assert.deepEqual(session.faults, []);
  await t.test('pages that wait for the service show where things will stand', () => pagesThatWait(session, filled));
});

async function pagesThatWait(session: WebSession, filled: Filled): Promise<void> {
  const page = await session.open('/');
  // Only the call for the signed-in user is answered.
  await page.route(/\/api\/v1\/(?!auth\/me$)/, () => {});
  const bare: string[] = [];
  for (const place of fullPlaces(filled)) {
    if (!isLongRun && !waiting.has(place.name)) continue;
    await page.goto(session.app.url + place.path);
    await page.getByRole('navigation').first().waitFor();
    if (!withoutData.has(place.name)) await page.locator('.mantine-Skeleton-root').first().waitFor();
    await screenshot(page, `loading-${place.name}`);
    if ((await page.getByRole('alert').count()) > 0) bare.push(place.name);
  }
  assert.deepEqual(bare, [], 'waiting is not failing');
  await page.unrouteAll();
  await page.goto(`${session.app.url}/datasets`);
  await page.getByText('Meadow').first().waitFor();
  assert.deepEqual(session.faults, []);
}

testWith([chromium], 'a refusal is shown in the words of the service, with its request id', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/datasets/01a1f000-0000-7000-8000-000000000000');
  const alert = page.getByRole('alert');
  await alert
    .getByText(/does not exist/)
    .first()
    .waitFor();
  await alert.getByText('Request ID').first().waitFor();
  await screenshot(page, 'error-dataset');
  assert.deepEqual(await findBarriers(page), []);
  // The list can't be loaded: the page says so and offers to try again.
  await page.route('**/api/v1/data-management/datasets?*', (route) =>
    route.fulfill({
      status: 403,
      json: { error: 'FORBIDDEN', message: 'Your key may not list datasets', path: '', timestamp: '' },
    }),
  );
  await session.visit(page, '/datasets');
  await page.getByText('Your key may not list datasets').waitFor();
  await screenshot(page, 'error-datasets');
  await page.unroute('**/api/v1/data-management/datasets?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Your key may not list datasets').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New dataset' }).first().waitFor();
});
