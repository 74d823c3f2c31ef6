// Every page in both themes without accessibility barriers (axe), at 360 pixels without scrolling sideways, and in Chinese.
// Screenshots are stored under .screenshots.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { fill, fullPlaces, heading } from './places.ts';
import { changeTheme, changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'full pages have no barriers in either theme, fit a small telephone, and speak Chinese',
  async (t, path) => {
    // Lists show the newest first, so nothing else may fill their first pages.
    const session = await startWebSession(t, path, { isEmpty: true });
    const filled = await fill(session.app);
    const page = await session.open('/');
    const found: string[] = [];
    for (const place of fullPlaces(filled)) {
      await page.goto(session.app.url + place.path);
      await place.ready(page);
      await screenshot(page, `full-light-${place.name}`);
      for (const barrier of await findBarriers(page)) found.push(`${place.name}: ${barrier}`);
      await changeTheme(page, 'dark');
      await screenshot(page, `full-dark-${place.name}`);
      // The other theme differs only in its colours.
      for (const barrier of await findBarriers(page, ['color-contrast'])) found.push(`${place.name}, dark: ${barrier}`);
      await changeTheme(page, 'light');
      await changeWidth(page, 360);
      await screenshot(page, `narrow-${place.name}`);
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${place.name} is ${overflow} wider than 360 pixels`);
      await changeWidth(page, 1280);
    }
    assert.deepEqual(found, []);

    const chinese = await session.open('/', { language: 'zh' });
    await heading('首页')(chinese);
    await screenshot(chinese, 'chinese-home');
    await session.visit(chinese, `/cleaning/${filled.task}/runs/${filled.run}`);
    await heading('每个步骤做了什么')(chinese);
    await screenshot(chinese, 'chinese-run');
    assert.deepEqual(session.faults, []);
  },
);
