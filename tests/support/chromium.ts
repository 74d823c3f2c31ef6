import { chromium as playwright, type Browser } from 'playwright-core';
import type { Ending } from './server.ts';
import { countStart } from './test-costs.ts';
import { findTool, type Tool } from './tools.ts';

/** The installed Chromium or Chrome; none is downloaded. The headless shell takes two thirds of the CPU time of the others. */
export const chromium: Tool = {
  ...findTool('chromium'),
  path: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map((name) => findTool(name).path)
    .find((path) => path !== undefined),
};

/** Starts a headless browser that is closed when the test ends. */
export async function launchChromium(t: Ending, path: string, args: readonly string[] = []): Promise<Browser> {
  // Chromium refuses to use its own sandbox as root, and containers rarely allow it.
  const options = { executablePath: path, headless: true, args: ['--no-sandbox', ...args] };
  const browser = await countStart('browser', () => playwright.launch(options));
  t.after(() => browser.close());
  return browser;
}
