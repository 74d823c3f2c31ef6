import type { Browser, BrowserContext } from 'playwright-core';

export const windowSize = { width: 1280, height: 860 };

/** The visitors of one service: each has its own cookies and storage, which are empty on arrival. */
export type Visitors = {
  arrive(locale: 'en-US' | 'zh-CN'): Promise<{ context: BrowserContext; leave(): Promise<void> }>;
};

/**
 * A browser process that has not shown the application before takes 3 s of CPU time to do so, otherwise 0.4 s. So a new visitor
 * gets the context of one who has left, cleared except for the compiled scripts. The browser must run with `--process-per-site`.
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
    // Keeps the site's process alive while no test shows a page.
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
