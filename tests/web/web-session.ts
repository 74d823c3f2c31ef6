import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildWeb } from '../../scripts/web-build.mjs';
import { launchChromium } from '../support/chromium.ts';
import { adminPassword, startApp, type Ending, type RunningApp } from '../support/server.ts';
import { createVisitors, windowSize, type Visitors } from './visitors.ts';

/** Where the pages' pictures are put, to be looked at. */
const screenshots = fileURLToPath(new URL('.screenshots/', import.meta.url));

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A condition is waited for that long, so that a busy machine fails no test. */
export const patienceMs = 120_000;

/** Below it, the service may read folders and databases. */
export const collectionRoot = join(tmpdir(), 'tilth-sources');

export type View = { theme?: 'light' | 'dark'; language?: 'en' | 'zh'; width?: number };

/** A service with the built web application, and a browser that opens its pages. */
export type WebSession = {
  app: RunningApp;
  /** A page of a new visitor; with `signedIn` (the default) the cookies of admin are there. */
  open(path: string, view?: View & { signedIn?: boolean }): Promise<Page>;
  /** What was written to the console as an error, or thrown, on any page. */
  faults: string[];
};

type Stage = { app: RunningApp; visitors: Visitors; cookies: Awaited<ReturnType<BrowserContext['cookies']>> };

let stage: Promise<Stage> | undefined;
const ends: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of ends.toReversed()) await end();
});

/** Builds the application when its sources changed, and starts a service and a browser: one of each for all tests of a file. */
async function startStage(chromium: string): Promise<Stage> {
  const ending: Ending = { after: (end) => void ends.push(end) };
  await buildWeb(process.execPath);
  await mkdir(screenshots, { recursive: true });
  const app = await startApp(ending, {
    settings: {
      TILTH_COOKIE_RATE_LIMIT_PER_MINUTE: '0',
      TILTH_OUTGOING_ALLOW: '127.0.0.1',
      TILTH_COLLECTION_ROOTS: collectionRoot,
      TILTH_RAG_MAX_DOCUMENT_MB: '1',
    },
  });
  const browser = await launchChromium(ending, chromium, ['--process-per-site']);
  return { app, visitors: createVisitors(browser, app.url), cookies: await signInCookies(browser, app.url) };
}

/** A test's own visitors of the service that all tests of the file share: a test names what it makes, and expects more to be there. */
export async function startWebSession(t: TestContext, chromium: string): Promise<WebSession> {
  const { app, visitors, cookies } = await (stage ??= startStage(chromium));
  const faults: string[] = [];
  return {
    app,
    faults,
    async open(path, { theme = 'light', language = 'en', width = 1280, signedIn = true } = {}) {
      const { context, leave } = await visitors.arrive(language === 'zh' ? 'zh-CN' : 'en-US');
      t.after(leave);
      if (signedIn) await context.addCookies(cookies);
      const page = await context.newPage();
      if (width !== windowSize.width) await changeWidth(page, width);
      if (theme !== 'light') await page.emulateMedia({ colorScheme: theme });
      page.setDefaultTimeout(patienceMs);
      page.on('pageerror', (error) => faults.push(`${path}: ${error.message}`));
      await page.goto(app.url + path);
      return page;
    },
  };
}

async function signInCookies(browser: Browser, url: string): ReturnType<BrowserContext['cookies']> {
  const context = await browser.newContext();
  const answer = await context.request.post(`${url}/api/v1/auth/login`, {
    data: { username: 'admin', password: adminPassword, cookie: true },
  });
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

type Violation = {
  id: string;
  impact: string | null;
  help: string;
  nodes: { target: unknown; failureSummary?: string }[];
};

/** What axe finds on a page that keeps people from using it: one line for each, none when there is nothing. */
export async function findBarriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help} (${nodes
          .slice(0, 4)
          .map(({ target }) => JSON.stringify(target))
          .join(', ')})`,
    );
}

/** The page that is open, in another theme, once its colours have stopped changing. */
export async function changeTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor({ state: 'attached' });
  // Not page.waitForFunction: the content security policy keeps it from evaluating text.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished))',
  );
}

/** Adds a step in the builder of a cleaning task, as people find it: by a word of what it does. */
export async function addStep(page: Page, name: string, word = name): Promise<void> {
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('searchbox', { name: 'What should the step do?' }).fill(word);
  await page.getByRole('button', { name: `Add: ${name}` }).click();
}

export async function changeWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ ...windowSize, width });
}

/** By how many pixels a page is wider than its window, so that people would have to scroll sideways. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')) as number;
}
