import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildWeb } from '../../scripts/web-build.mjs';
import { launchChromium } from '../support/chromium.ts';
import { adminPassword, startApp, type RunningApp } from '../support/server.ts';

/** Where the pages' pictures are put, to be looked at. */
const screenshots = fileURLToPath(new URL('.screenshots/', import.meta.url));

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type View = { theme?: 'light' | 'dark'; language?: 'en' | 'zh'; width?: number };

/** A service with the built web application, and a browser that opens its pages. */
export type WebSession = {
  app: RunningApp;
  /** A page of a new visitor; with `signedIn` (the default) the cookies of admin are there. */
  open(path: string, view?: View & { signedIn?: boolean }): Promise<Page>;
  /** What was written to the console as an error, or thrown, on any page. */
  faults: string[];
};

/** Builds the application when its sources changed, starts a service and a browser; both end with the test. */
export async function startWebSession(t: TestContext, chromium: string): Promise<WebSession> {
  await buildWeb(process.execPath);
  await mkdir(screenshots, { recursive: true });
  const app = await startApp(t, { settings: { TILTH_COOKIE_RATE_LIMIT_PER_MINUTE: '0' } });
  const browser = await launchChromium(t, chromium);
  const faults: string[] = [];
  const cookies = await signInCookies(browser, app.url);

  return {
    app,
    faults,
    async open(path, { theme = 'light', language = 'en', width = 1280, signedIn = true } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 860 },
        colorScheme: theme,
        locale: language === 'zh' ? 'zh-CN' : 'en-US',
        acceptDownloads: true,
        reducedMotion: 'reduce',
      });
      if (signedIn) await context.addCookies(cookies);
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
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
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
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

/** Whether a page is wider than its window, so that people would have to scroll sideways. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')) as number;
}
