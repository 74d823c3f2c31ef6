import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildWeb } from '../../scripts/web-build.mjs';
import { launchChromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { atProcessEnd } from '../support/process-end.ts';
import { adminPassword, startApp, type Ending, type RunningApp } from '../support/server.ts';
import { createVisitors, windowSize, type Visitors } from './visitors.ts';

/** Folder of the screenshots, for human review. */
const screenshots = fileURLToPath(new URL('.screenshots/', import.meta.url));

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Timeout for conditions, long enough that a busy machine fails no test. */
export const patienceMs = 120_000;

/** The folder in which the service may read folders and databases. */
export const collectionRoot = join(tmpdir(), 'tilth-sources');

export type View = { theme?: 'light' | 'dark'; language?: 'en' | 'zh'; width?: number };

/** A service with the built web application, and a browser for its pages. */
export type WebSession = {
  app: RunningApp;
  /** Opens a page; with `signedIn` (the default) as admin, otherwise as a new visitor. */
  open(path: string, view?: View & { signedIn?: boolean }): Promise<Page>;
  /** Navigates an open page to another address of the application. */
  visit(page: Page, path: string): Promise<void>;
  /** Errors logged to the console, or thrown, on any page. */
  faults: string[];
};

type Stage = { app: RunningApp; visitors: Visitors; cookies: Awaited<ReturnType<BrowserContext['cookies']>> };

/**
 * Started by the first test that needs them, for all files of this process: a test names its own data, and expects other data to exist.
 */
let browser: Promise<Browser> | undefined;
let sharedStage: Promise<Stage> | undefined;

/** A service and its visitors; the application is rebuilt if its sources have changed. */
async function startStage(chromium: string, until: Ending): Promise<Stage> {
  browser ??= launchChromium({ after: atProcessEnd }, chromium, ['--process-per-site']);
  const [opened] = await Promise.all([browser, buildWeb(process.execPath)]);
  if (isLongRun) await mkdir(screenshots, { recursive: true });
  const app = await startApp(until, {
    settings: {
      TILTH_COOKIE_RATE_LIMIT_PER_MINUTE: '0',
      TILTH_OUTGOING_ALLOW: '127.0.0.1',
      TILTH_COLLECTION_ROOTS: collectionRoot,
      TILTH_RAG_MAX_DOCUMENT_MB: '1',
    },
  });
  return { app, visitors: createVisitors(opened, app.url), cookies: await signInCookies(opened, app.url) };
}

/** A test's own visitors; with `isEmpty`, of a separate service without any data. */
export async function startWebSession(t: TestContext, chromium: string, { isEmpty = false } = {}): Promise<WebSession> {
  const { app, visitors, cookies } = await (isEmpty
    ? startStage(chromium, t)
    : (sharedStage ??= startStage(chromium, { after: atProcessEnd })));
  const faults: string[] = [];
  // Pages of one user share their browser's storage.
  const arrived = new Map<string, Promise<BrowserContext>>();
  const arrive = async (locale: 'en-US' | 'zh-CN', signedIn: boolean): Promise<BrowserContext> => {
    const { context, leave } = await visitors.arrive(locale);
    t.after(leave);
    if (signedIn) await context.addCookies(cookies);
    return context;
  };
  return {
    app,
    faults,
    async open(path, { theme = 'light', language = 'en', width = 1280, signedIn = true } = {}) {
      const locale = language === 'zh' ? 'zh-CN' : 'en-US';
      const coming = (signedIn ? arrived.get(locale) : undefined) ?? arrive(locale, signedIn);
      if (signedIn) arrived.set(locale, coming);
      const page = await (await coming).newPage();
      if (width !== windowSize.width) await changeWidth(page, width);
      if (theme !== 'light') await page.emulateMedia({ colorScheme: theme });
      page.setDefaultTimeout(patienceMs);
      page.on('pageerror', (error) => faults.push(`${path}: ${error.message}`));
      await page.goto(app.url + path);
      return page;
    },
    visit: async (page, path) => visit(page, app.url + path),
  };
}

/** Navigates a page like a link, which costs a third of reloading the application, as `npm run test:long` does. */
async function visit(page: Page, url: string): Promise<void> {
  if (isLongRun) await page.goto(url);
  else await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`);
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

/** A screenshot for human review; taken only in `npm run test:long`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (isLongRun) await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

type Violation = {
  id: string;
  impact: string | null;
  help: string;
  nodes: { target: unknown; failureSummary?: string }[];
};

/** The rules that code of pages most often breaks, at a tenth of the cost of all axe rules. */
const quickRules = [
  'aria-allowed-attr',
  'aria-command-name',
  'aria-dialog-name',
  'aria-hidden-focus',
  'aria-input-field-name',
  'aria-progressbar-name',
  'aria-required-attr',
  'aria-required-children',
  'aria-required-parent',
  'aria-toggle-field-name',
  'aria-tooltip-name',
  'aria-valid-attr',
  'aria-valid-attr-value',
  'button-name',
  'document-title',
  'duplicate-id-aria',
  'html-has-lang',
  'image-alt',
  'label',
  'link-name',
  'list',
  'listitem',
  'nested-interactive',
  'role-img-alt',
  'scrollable-region-focusable',
  'select-name',
  'svg-img-alt',
];

/**
 * Accessibility barriers that axe finds on a page, one line each. All rules are checked only in `npm run test:long`, unless
 * rules are given.
 */
export async function findBarriers(
  page: Page,
  rules: readonly string[] | undefined = isLongRun ? undefined : quickRules,
): Promise<string[]> {
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

/** Changes the theme of the open page and waits until its colours have stopped changing. */
export async function changeTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor({ state: 'attached' });
  // Not page.waitForFunction: the content security policy forbids it to evaluate text.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished))',
  );
}

/** Adds a step in the builder of a cleaning task like a user: by a word of what it does. */
export async function addStep(page: Page, name: string, word = name): Promise<void> {
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('searchbox', { name: 'What should the step do?' }).fill(word);
  await page.getByRole('button', { name: `Add: ${name}` }).click();
}

/** The themes in which pages are examined closely. */
export const themes: readonly ('light' | 'dark')[] = isLongRun ? ['light', 'dark'] : ['light'];

export async function changeWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ ...windowSize, width });
}

/** By how many pixels a page is wider than its window, so that users would have to scroll sideways. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')) as number;
}
