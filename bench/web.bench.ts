// The web application in a real browser: bytes loaded by its first page, time until each page is usable, upload speed
// against a program sending the same chunks, scrolling a list of 10,000 files against one of 100, and a table of 1,000,000 rows against one of 1,000. Service on the
// first core, browser and program on the second. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_MIB` (2048), `TILTH_BENCH_FILES`
// (10,000), `TILTH_BENCH_ONLY` (load, pages, upload, small, scroll or rows).
import { createWriteStream, openAsBlob, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Locator, type Page, chromium as playwright } from 'playwright-core';
import { buildWeb } from '../scripts/web-build.mjs';
import { chromium } from '../tests/support/chromium.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf, pairCount, type Side } from './pairs.ts';
import { pinClient } from './prepared-requests.ts';
import {
  createDataset,
  missingPrograms,
  servicePassword,
  startService,
  type RunningService,
} from './running-service.ts';
import { compareUploads, measureSmallFiles } from './web-uploads.ts';

const only = process.env['TILTH_BENCH_ONLY'];
const carriesFiles = /\/files\/upload\/(?:chunk|[^/]+\/files)$/;
const mostInitialBytes = 250_000;
/** One and a half frames at 60 frames per second. */
const lateMs = 25;

if (chromium.path === undefined) console.log(`Skipped: this benchmark needs a browser (${chromium.howToGet}).`);
else if ((await missingPrograms({ taskset: 'util-linux' })).length === 0) await main(chromium.path);

async function main(executablePath: string): Promise<void> {
  printMachine();
  await buildWeb(process.execPath);
  // The browser inherits the core affinity.
  await pinClient();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const service = await startService(join(folder, 'data'), { TILTH_COOKIE_RATE_LIMIT_PER_MINUTE: '0' });
    ends.push(service.stop);
    const browser = await playwright.launch({ executablePath, headless: true, args: ['--no-sandbox'] });
    ends.push(() => browser.close());
    const origin = new URL(service.api).origin;
    const openPage = async (): Promise<Page> => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
      const answer = await context.request.post(`${service.api}/auth/login`, {
        data: { username: 'admin', password: servicePassword, cookie: true },
      });
      if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}`);
      const page = await context.newPage();
      page.setDefaultTimeout(300_000);
      return page;
    };
    if (isWanted('load')) await measureLoad(await openPage(), origin);
    if (isWanted('pages')) await measurePages(await openPage(), origin, service);
    if (isWanted('upload')) await compareUploads(await openPage(), origin, service, folder);
    if (isWanted('small')) await measureSmallFiles(await openPage(), origin, service, folder);
    if (isWanted('scroll')) await compareScrolling(await openPage(), origin, service, folder);
    if (isWanted('rows')) await compareRows(openPage, origin, service, folder);
  } finally {
    for (const end of ends.toReversed()) await end();
    await rm(folder, { recursive: true });
  }
}

function isWanted(part: string): boolean {
  return only === undefined || only === part;
}

/** The scripts that the browser loads until the first page is shown, in transferred bytes. */
async function measureLoad(page: Page, origin: string): Promise<void> {
  const scripts = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) scripts.add(pathname);
  });
  await page.goto(origin);
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  const sizeOf = (path: string): number => statSync(new URL(`../web/dist${path}.br`, import.meta.url)).size;
  const loaded = [...scripts].reduce((sum, path) => sum + sizeOf(path), 0);
  const html = readFileSync(new URL('../web/dist/index.html', import.meta.url), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].reduce(
    (sum, [, path = '']) => sum + sizeOf(path),
    0,
  );
  console.log(
    `initial JavaScript: index.html names ${(named / 1000).toFixed(0)} kB, the home page has loaded ${(loaded / 1000).toFixed(0)} kB ` +
      `in ${scripts.size} files, compressed (limit ${mostInitialBytes / 1000} kB)`,
  );
  if (loaded > mostInitialBytes) process.exitCode = 1;
}

/** From the navigation to the main content of a page, with the scripts in the browser's cache. */
async function measurePages(page: Page, origin: string, service: RunningService): Promise<void> {
  const form = new FormData();
  const rows = Array.from({ length: 1000 }, (_, id) => JSON.stringify({ id, text: `the text of row ${id}` })).join(
    '\n',
  );
  form.append('files', new File([rows], 'rows.jsonl'), 'rows.jsonl');
  const answer = await fetch(`${service.dataset}/files/upload`, {
    method: 'POST',
    headers: service.headers,
    body: form,
  });
  const [file] = (await answer.json()) as { id: string }[];
  const dataset = service.dataset.split('/').at(-1);
  const pages: readonly [path: string, ready: string][] = [
    ['/', 'Recent datasets'],
    ['/datasets', 'Benchmark 1'],
    [`/datasets/${dataset}`, 'the text of row 9'],
    [`/datasets/${dataset}/files`, 'rows.jsonl'],
    [`/datasets/${dataset}/files/${file?.id}`, 'the text of row 9'],
    [`/datasets/${dataset}/upload`, 'Drop files, folders or archives here'],
    [`/datasets/${dataset}/versions`, 'current'],
    ['/cleaning', 'No cleaning tasks yet'],
    [`/cleaning/new?dataset=${dataset}`, 'Normalize white space'],
    ['/cleaning/templates', 'built in'],
    ['/operators', 'Normalize white space'],
    ['/settings/account', 'Change password'],
  ];
  for (const [path, ready] of pages) {
    const times: number[] = [];
    for (let round = 0; round <= pairCount; round++) {
      const begun = performance.now();
      await page.goto(origin + path, { waitUntil: 'commit' });
      await page.getByText(ready).first().waitFor();
      // The first round warms the cache.
      if (round > 0) times.push(performance.now() - begun);
    }
    const name = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]+/g, '…');
    console.log(
      `  ${name}: usable after ${medianOf(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)})`,
    );
  }
}

/** Frame times while the list of a running upload is scrolled, with 100 files and with 10,000. */
async function compareScrolling(page: Page, origin: string, service: RunningService, folder: string): Promise<void> {
  for (const count of [100, 10_000]) {
    const directory = join(folder, `files-${count}`);
    await mkdir(directory);
    for (let index = 0; index < count; index++) await writeFile(join(directory, `${index}.txt`), `file ${index}`);
    const dataset = await createDataset(service);
    await page.goto(`${origin}/datasets/${dataset.split('/').at(-1)}/upload`);
    // Upload requests are never answered, so that every file stays in the list.
    await page.route(carriesFiles, () => {});
    await page.locator('input[type=file][aria-label="Choose folder"]').setInputFiles(directory);
    await page.getByRole('button', { name: `Upload ${count} files` }).click();
    const list = page.getByRole('list', { name: 'Files of the upload' });
    await list.getByRole('listitem').first().waitFor();
    const frames = await framesOf(list.locator('..'), 90);
    const at = (share: number): string => (frames[Math.floor(share * (frames.length - 1))] ?? 0).toFixed(1);
    console.log(`  ${count} files: a frame takes ${at(0.5)} ms, 95 % at most ${at(0.95)} ms, the longest ${at(1)} ms`);
    await page.goto('about:blank');
    await page.unroute(carriesFiles);
  }
}

/** Frame times while rows of a table are scrolled: 1,000,000 rows, at a different place each time, and 1,000 rows. */
async function compareRows(
  openPage: () => Promise<Page>,
  origin: string,
  service: RunningService,
  folder: string,
): Promise<void> {
  const sideOf = async (count: number): Promise<Side & { late: number[] }> => {
    const late: number[] = [];
    const name = `${count}.jsonl`;
    const rows = (from: number): string =>
      Array.from(
        { length: 1_000 },
        (_, index) => `{"id":${from + index},"text":"row number ${from + index}, with words"}\n`,
      ).join('');
    const output = createWriteStream(join(folder, name));
    await pipeline(
      Array.from({ length: count / 1_000 }, (_, block) => rows(1_000 * block)),
      output,
    );
    const dataset = await createDataset(service);
    const form = new FormData();
    form.append('files', await openAsBlob(join(folder, name)), name);
    const answer = await fetch(`${dataset}/files/upload`, { method: 'POST', headers: service.headers, body: form });
    const [file] = (await answer.json()) as { id: string }[];
    const page = await openPage();
    await page.goto(`${origin}/datasets/${dataset.split('/').at(-1)}/files/${file?.id ?? ''}`);
    const grid = page.getByRole('grid', { name });
    await page
      .getByText(`${count.toLocaleString('en')} rows`)
      .first()
      .waitFor();
    let round = 0;
    return {
      late,
      name: `${count.toLocaleString('en')} rows`,
      unit: 'ms',
      run: async () => {
        round += 1;
        const share = (round * 0.37) % 0.6;
        await grid.evaluate((element, part) => element.scrollTo(0, part * element.scrollHeight), share);
        await page.waitForTimeout(500);
        const frames = await framesOf(grid, 300);
        late.push(frames.filter((ms) => ms > lateMs).length / frames.length);
        return frames.reduce((sum, ms) => sum + ms, 0) / frames.length;
      },
    };
  };
  const [many, few] = [await sideOf(1_000_000), await sideOf(1_000)];
  await comparePairs('a frame takes (at most 1.5; less is better)', many, few);
  for (const { name, late } of [many, few])
    console.log(`  ${name}: ${(100 * medianOf(late)).toFixed(0)} % of the frames come later than the next one was due`);
}

/** Milliseconds of the frames while an element scrolls down and up again, in ascending order. */
async function framesOf(scrolled: Locator, pixels: number): Promise<number[]> {
  return scrolled.evaluate(async (element, by) => {
    const times: number[] = [];
    const browser = globalThis as unknown as { requestAnimationFrame(draw: (timeMs: number) => void): void };
    const nextFrame = (): Promise<number> => new Promise((resolve) => browser.requestAnimationFrame(resolve));
    let last = await nextFrame();
    for (let step = 0; step < 120; step++) {
      element.scrollBy(0, step % 40 < 20 ? by : -by);
      const now = await nextFrame();
      times.push(now - last);
      last = now;
    }
    return times.sort((left, right) => left - right);
  }, pixels);
}
