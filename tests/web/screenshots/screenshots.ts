// `npm run screenshots [-- NAME…]`: screenshots of every page in both themes and languages at three widths, for human review.
// Each page gets a sheet of its twelve pictures under tests/web/.screenshots/sheets; measurable faults are listed at the end.
// `npm run screenshots -- --readme` updates the pictures of the README instead.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { buildWeb } from '../../../scripts/web-build.mjs';
import { chromium, launchChromium } from '../../support/chromium.ts';
import { endShared } from '../../support/process-end.ts';
import { adminPassword, startApp, type Ending, type RunningApp } from '../../support/server.ts';
import { fill, fillForReadme, fillKnowledgeForReadme } from './content.ts';
import { emptyPlaces, fullPlaces, type Place } from './places.ts';

const folder = fileURLToPath(new URL('../.screenshots/', import.meta.url));
const widths = [1440, 1024, 390] as const;
const views = (['light', 'dark'] as const).flatMap((theme) =>
  (['en', 'zh'] as const).map((language) => ({ theme, language })),
);

/** Time limit for a page to replace all its placeholders. */
const settledMs = 20_000;

/** Rows further down are loaded only when they become visible. */
const isWaiting = `[...document.querySelectorAll('.mantine-Skeleton-root, [data-loading]')].some((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 0 && top < innerHeight && node.checkVisibility();
})`;

const ends: (() => Promise<void>)[] = [];
const ending: Ending = { after: (end) => void ends.push(end) };
try {
  await main(process.argv.slice(2));
} finally {
  for (const end of ends.toReversed()) await end();
  await endShared();
}

async function main(wanted: readonly string[]): Promise<void> {
  if (chromium.path === undefined) throw new Error(`Chromium is needed: ${chromium.howToGet}`);
  await buildWeb(process.execPath);
  for (const name of ['pages', 'sheets']) await mkdir(join(folder, name), { recursive: true });
  const settings = { TILTH_COOKIE_RATE_LIMIT_PER_MINUTE: '0', TILTH_OUTGOING_ALLOW: '127.0.0.1' };
  const app = await startApp(ending, { settings });
  const browser = await launchChromium(ending, chromium.path);
  if (wanted.includes('--readme')) {
    await picturesForReadme(app, browser);
    return;
  }
  const isWanted = ({ name }: Place): boolean => wanted.length === 0 || wanted.some((part) => name.includes(part));
  const found = await takeAll(app, browser, emptyPlaces.filter(isWanted));
  const content = await fill(app);
  found.push(...(await takeAll(app, browser, fullPlaces(content).filter(isWanted))));
  for (const line of found) console.log(line);
  console.log(`${found.length} findings; the pictures are in ${join(folder, 'sheets')}`);
}

/** A finished run, and a search of a knowledge base, as shown in the README and the first steps. */
async function picturesForReadme(app: RunningApp, browser: Browser): Promise<void> {
  const pictures = {
    'cleaning-run': await fillForReadme(app),
    'knowledge-search': await fillKnowledgeForReadme(app),
  };
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-US' });
  await signIn(context, app.url);
  for (const [name, address] of Object.entries(pictures)) {
    const page = await context.newPage();
    await page.goto(app.url + address);
    await settled(page);
    const path = fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url));
    // Pages have few colours: a palette halves the size of a picture.
    await sharp(await page.screenshot())
      .png({ palette: true, effort: 10 })
      .toFile(path);
    await page.close();
  }
}

/** Takes pictures of the places in all views. Returns the measurable faults. */
async function takeAll(app: RunningApp, browser: Browser, places: readonly Place[]): Promise<string[]> {
  const found: string[] = [];
  if (places.length === 0) return found;
  for (const { theme, language } of views) {
    const options = {
      viewport: { width: widths[0], height: 900 },
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
      reducedMotion: 'reduce' as const,
    };
    const context = await browser.newContext(options);
    await signIn(context, app.url);
    const stranger = await browser.newContext(options);
    for (const place of places) {
      const page = await (place.signedIn === false ? stranger : context).newPage();
      page.on('pageerror', (error) => found.push(`${place.name}: ${error.message}`));
      await page.goto(app.url + place.path);
      for (const width of widths) {
        const name = `${place.name}-${width}-${language}-${theme}`;
        try {
          await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
          await settled(page);
          if (width === widths[0]) await place.act?.(page);
          await settled(page);
        } catch (error) {
          found.push(`${name}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
        }
        await page.screenshot({ path: join(folder, 'pages', `${name}.png`) });
        if (theme === 'light') for (const fault of await faultsOf(page)) found.push(`${name}: ${fault}`);
      }
      await page.close();
    }
    await context.close();
    await stranger.close();
  }
  for (const { name } of places) await writeSheet(browser, name);
  return found;
}

async function signIn(context: BrowserContext, url: string): Promise<void> {
  const data = { username: 'admin', password: adminPassword, cookie: true };
  const answer = await context.request.post(`${url}/api/v1/auth/login`, { data });
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}`);
}

/** Waits until no placeholder is left and nothing moves. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1, h2, [role=alert]').first().waitFor({ timeout: settledMs });
  const until = Date.now() + settledMs;
  while ((await page.evaluate(isWaiting)) === true) {
    if (Date.now() > until) throw new Error('it still shows placeholders');
    await sleep(50);
  }
  await sleep(120);
}

/** Content wider than the window, buttons of two lines, texts clipped without a way to see them whole. */
async function faultsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push((root.scrollWidth - root.clientWidth) + ' pixels wider than its window');
    const words = (node) => (node.textContent ?? '').trim().slice(0, 40);
    for (const node of document.querySelectorAll('button, a.mantine-Button-root, [role=tab], .mantine-Badge-label')) {
      const label = node.querySelector('.mantine-Button-label') ?? node;
      const style = getComputedStyle(label);
      const { height, width } = label.getBoundingClientRect();
      if (width === 0) continue;
      if (node.matches('.mantine-Button-root, [role=tab]') && height > 60) found.push('a button of several lines: ' + words(node));
      if (label.scrollWidth > label.clientWidth + 1 && style.overflow !== 'visible' && !node.closest('[title]')) found.push('cut: ' + words(node));
    }
    for (const node of document.querySelectorAll('h1, h2, h3, label, th, .mantine-Text-root')) {
      const style = getComputedStyle(node);
      if (node.getBoundingClientRect().width === 0 || node.closest('[title], .column-header') || node.querySelector('[title]')) continue;
      const isCut = node.scrollWidth > node.clientWidth + 1 && style.overflowX === 'hidden' && style.textOverflow === 'ellipsis';
      if (isCut) found.push('cut: ' + words(node));
    }
    return found;
  })()`)) as string[];
}

/** One sheet with all pictures of a place: a row for each theme and language, a column for each width. */
async function writeSheet(browser: Browser, name: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1510, height: 900 } });
  const rows = await Promise.all(
    views.map(async ({ theme, language }) => {
      const cells = await Promise.all(
        widths.map(async (width) => {
          const bytes = await readFile(join(folder, 'pages', `${name}-${width}-${language}-${theme}.png`));
          return `<img style="height:470px" src="data:image/png;base64,${bytes.toString('base64')}">`;
        }),
      );
      return `<div style="display:flex;gap:6px;margin-bottom:6px">${cells.join('')}</div>`;
    }),
  );
  await page.setContent(`<body style="margin:6px;background:#888">${rows.join('')}</body>`);
  await writeFile(join(folder, 'sheets', `${name}.png`), await page.screenshot({ fullPage: true }));
  await page.close();
}
