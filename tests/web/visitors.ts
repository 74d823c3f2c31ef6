import type { Browser, BrowserContext } from 'playwright-core';

export const windowSize = { width: 1280, height: 860 };

/** The visitors of one service: each has cookies and storage of its own, and finds none when it arrives. */
export type Visitors = {
  arrive(locale: 'en-US' | 'zh-CN'): Promise<{ context: BrowserContext; leave(): Promise<void> }>;
};

/**
 * A process of the browser that has not shown the application yet takes 3 s of CPU time to do so, one that has 0.4. So a visitor
 * who comes later gets the context of one who has left, with nothing of theirs but the scripts that their browser has compiled.
 * The browser must run with `--process-per-site`.
 */
export function createVisitors(browser: Browser, url: string): Visitors {
  const free: { locale: string; context: BrowserContext; clear(): Promise<void> }[] = [];

  async function start(locale: string): Promise<(typeof free)[number]> {
    const context = await browser.newContext({
      viewport: windowSize,
      colorScheme: 'light',
      locale,
      acceptDownloads: true,
      reducedMotion: 'reduce',
    });
    // Keeps the process of the site while no test shows a page.
    const keeper = await context.newPage();
    await keeper.goto(`${url}/healthz`);
    const devtools = await context.newCDPSession(keeper);
    return {
      locale,
      context,
      async clear() {
        for (const page of context.pages()) if (page !== keeper) await page.close();
        await context.unrouteAll();
        await context.setOffline(false);
        await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'cookies,local_storage' });
        await context.clearCookies();
      },
    };
  }

  return {
    async arrive(locale) {
      const index = free.findIndex((each) => each.locale === locale);
      const visitor = free.splice(index, index < 0 ? 0 : 1)[0] ?? (await start(locale));
      return {
        context: visitor.context,
        async leave() {
          await visitor.clear();
          free.push(visitor);
        },
      };
    },
  };
}
