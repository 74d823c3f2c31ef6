// Each other kind of source comes in twice, the second time with only what changed, and again from the start.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { startFileServer } from '../fakes/file-server.ts';
import { chromium } from '../support/chromium.ts';
import { mariadb, startMariadb } from '../support/mariadb.ts';
import { openssl } from '../support/nginx.ts';
import { createPostgresDatabase, postgres } from '../support/postgres.ts';
import { testWith } from '../support/tools.ts';
import { startS3, versitygw } from '../support/versitygw.ts';
import { collectionRoot, findBarriers, screenshot, startWebSession, type WebSession } from './web-session.ts';

/** A source with two items to collect, and later a third. */
type Source = {
  /** Name in the gallery. */
  name: string;
  /** Values by field label; a list selects an option. */
  fields: Readonly<Record<string, string | readonly [string]>>;
  /** What the test of the source shows, and what the file's page shows of its origin. */
  sample: string;
  origin: RegExp;
  /** Files after both runs. */
  files: readonly string[];
  /** What the three runs keep, if not two, then one, then all three. */
  kept?: readonly [number, number, number];
  add(): Promise<void>;
};

async function startSources(t: TestContext, opensslPath: string): Promise<Source[]> {
  await mkdir(collectionRoot, { recursive: true });
  const folder = await mkdtemp(join(collectionRoot, 'journey-'));
  t.after(() => rm(folder, { recursive: true }));
  const rows =
    "create table words (id integer, word varchar(20)); insert into words values (1, 'first'), (2, 'second')";
  const third = "insert into words values (3, 'third')";
  const ofRows = { Table: 'words', 'Incremental column': 'id' };

  const { url, drop } = await createPostgresDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  await client.query(rows);
  const { hostname, port, pathname, username, password } = new URL(url);
  const ofPostgres = { Host: hostname, Port: port, Database: pathname.slice(1), User: username, Password: password };

  const { config, sql } = await startMariadb(t, { openssl: opensslPath });
  await sql(...rows.split('; '));
  const ofMariadb = { Host: config.host, Port: `${config.port}`, Database: config.database, User: config.user };

  const path = join(folder, 'words.db');
  const db = new SqliteDatabase(path);
  t.after(async () => void db.close());
  db.exec(rows);

  const server = await startS3(t, 'words');
  const local = join(folder, 'local');
  await mkdir(local);
  const write = (at: string, name: string): Promise<void> => writeFile(join(at, name), `${name} holds words.\n`);
  for (const at of [server.folder, local]) for (const name of ['first.txt', 'second.txt']) await write(at, name);
  const { endpoint, accessKeyId, secretAccessKey } = server;
  const ofS3 = {
    Endpoint: endpoint,
    Bucket: 'words',
    'Access key ID': accessKeyId,
    'Secret access key': secretAccessKey,
  };

  const parts = (extension: string): string[] => [1, 2].map((part) => `words/part-00000${part}.${extension}`);
  const texts = ['first.txt', 'second.txt', 'third.txt'];
  return [
    {
      name: 'PostgreSQL',
      fields: { ...ofPostgres, ...ofRows, Format: ['PARQUET'] },
      sample: 'second',
      origin: /"table": "words"/,
      files: parts('parquet'),
      add: async () => void (await client.query(third)),
    },
    {
      name: 'MySQL and MariaDB',
      fields: { ...ofMariadb, Password: config.password, ...ofRows },
      sample: 'second',
      origin: /"database": "source"/,
      files: parts('jsonl'),
      add: () => sql(third),
    },
    {
      name: 'SQLite file',
      fields: { Path: path, ...ofRows },
      sample: 'second',
      origin: /words\.db/,
      files: parts('jsonl'),
      add: async () => void db.exec(third),
    },
    {
      name: 'S3 bucket',
      fields: ofS3,
      sample: 'second.txt',
      origin: /"bucket": "words"/,
      files: texts,
      add: () => write(server.folder, 'third.txt'),
    },
    {
      name: 'Server folder',
      fields: { Path: local },
      sample: 'second.txt',
      origin: /"modifiedAt"/,
      files: texts,
      add: () => write(local, 'third.txt'),
    },
  ];
}

/** Websites, feeds, APIs and dataset repositories on one small server. */
async function startWebSources(t: TestContext): Promise<Source[]> {
  const server = await startFileServer(t);
  const { answers, url, host } = server;
  const folder = host.replace(':', '_');
  const page = (title: string, links: readonly string[]): string =>
    `<html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${`The ${title} page holds words about fields. `.repeat(20)}</p>
     ${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</article></body></html>`;
  const html = (path: string, content: string): void =>
    void answers.set(path, (_request, response) => response.setHeader('content-type', 'text/html').end(content));
  html('/', page('first', ['/second']));
  html('/second', page('second', []));

  const feed = (...words: string[]): string =>
    `<rss version="2.0"><channel><title>F</title>${words.map((word) => `<item><guid>${word}</guid><title>${word}</title></item>`).join('')}</channel></rss>`;
  answers.set('/feed', feed('second', 'first'));
  const records = (...words: string[]): string => JSON.stringify({ items: words.map((word) => ({ word })) });
  answers.set('/words', records('first', 'second'));

  const serveCommit = (commit: string, names: readonly string[]): void => {
    answers.set('/api/datasets/org/words/revision/main', JSON.stringify({ sha: commit }));
    const entries = names.map((name) => {
      const content = `${name} holds words.\n`;
      answers.set(`/datasets/org/words/resolve/${commit}/${name}`, content);
      const oid = createHash('sha1').update(content).digest('hex');
      return { type: 'file', path: name, size: content.length, oid };
    });
    answers.set(`/api/datasets/org/words/tree/${commit}?recursive=true`, JSON.stringify(entries));
  };
  const texts = ['first.txt', 'second.txt', 'third.txt'];
  serveCommit('a'.repeat(40), texts.slice(0, 2));

  return [
    {
      name: 'Website',
      fields: { 'Start URLs': `${url}/`, 'Requests per second': '1000' },
      sample: `${folder}/index.md`,
      origin: /"fetchedAt"|"status"|robots/,
      files: ['index.md', 'second.md', 'third.md'].map((name) => `${folder}/${name}`),
      kept: [2, 2, 3],
      async add() {
        html('/', page('first', ['/second', '/third']));
        html('/third', page('third', []));
      },
    },
    {
      name: 'RSS or Atom feed',
      fields: { URL: `${url}/feed`, 'File name': 'words' },
      sample: 'second',
      origin: /\/feed/,
      files: [1, 2].map((part) => `words/part-00000${part}.jsonl`),
      add: async () => void answers.set('/feed', feed('third', 'second', 'first')),
    },
    {
      name: 'JSON API',
      fields: { URL: `${url}/words`, 'Records path': 'items', 'File name': 'words' },
      sample: 'second',
      origin: /\/words/,
      files: ['words.jsonl'],
      kept: [2, 3, 3],
      add: async () => void answers.set('/words', records('first', 'second', 'third')),
    },
    {
      name: 'Hugging Face dataset',
      fields: { Repository: 'org/words', Endpoint: url },
      sample: 'second.txt',
      origin: /org\/words/,
      files: texts,
      async add() {
        serveCommit('b'.repeat(40), texts);
      },
    },
  ];
}

/** Collects a source, then its addition, then everything again, using the pages. */
async function collectByPages(session: WebSession, page: Page, source: Source): Promise<void> {
  const { api } = session.app;
  const { name, fields, sample, origin, files, add, kept = [2, 1, 3] } = source;
  await session.visit(page, `/collection/new`);
  await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByRole('textbox', { name: label, exact: true });
    if (typeof value === 'string') await field.fill(value);
    else {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: value[0] }).click();
    }
  }
  await page.getByRole('button', { name: 'Test the source' }).click();
  const test = page.getByRole('region', { name: 'Test', exact: true });
  await test.getByText(sample, { exact: true }).first().waitFor();
  const title = `Words of ${name}`;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(title);
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByRole('heading', { name: `${title} #1` }).waitFor();
  await page.getByText('Collected', { exact: true }).waitFor();

  const taskId = new URL(page.url()).pathname.split('/')[2] ?? '';
  type Task = { targetDatasetId: string; lastRunId: string };
  const taskOf = async (): Promise<Task> =>
    (await api<{ data: Task }>('GET', `/data-collection/tasks/${taskId}`)).body.data;
  const keptOf = async (): Promise<number> => {
    const run = `/data-collection/tasks/${taskId}/runs/${(await taskOf()).lastRunId}`;
    return (await api<{ data: { counts: { kept: number } } }>('GET', run)).body.data.counts.kept;
  };
  assert.equal(await keptOf(), kept[0], name);

  await add();
  await session.visit(page, `/collection/${taskId}`);
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: `${title} #2` }).waitFor();
  await page.getByText('Collected', { exact: true }).waitFor();
  assert.equal(await keptOf(), kept[1], `${name}: only the change`);
  const { targetDatasetId } = await taskOf();
  type Files = { content: { id: string; filePath: string }[] };
  const { body } = await api<Files>('GET', `/data-management/datasets/${targetDatasetId}/files`);
  assert.deepEqual(
    body.content.map(({ filePath }) => filePath),
    files,
  );

  await session.visit(page, `/datasets/${targetDatasetId}/files/${body.content.at(-1)?.id}`);
  await page.getByRole('region', { name: 'Collected from' }).getByText(origin).waitFor();
  // The page shows what the second run brought, unless it is Parquet.
  const isParquet = body.content.at(-1)?.filePath.endsWith('.parquet') === true;
  if (!isParquet)
    await page
      .getByText(/third|holds words/)
      .first()
      .waitFor();
  await screenshot(page, `collection-origin-${taskId.slice(-4)}`);

  await session.visit(page, `/collection/${taskId}`);
  await page.getByRole('heading', { name: 'Fetched so far' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Fetch again from the start' }).click();
  await page.getByRole('button', { name: 'Fetch everything' }).click();
  await page.getByRole('heading', { name: `${title} #3` }).waitFor();
  await page.getByText('Collected', { exact: true }).waitFor();
  assert.equal(await keptOf(), kept[2], `${name}: everything again`);
}

testWith(
  [chromium, postgres, mariadb, openssl, versitygw],
  'databases, a bucket and a folder come in twice, the second time only the change, and again from the start',
  async (t, chromiumPath, _postgres, _mariadb, opensslPath) => {
    const session = await startWebSession(t, chromiumPath);
    const page = await session.open('/collection');
    for (const source of await startSources(t, opensslPath)) await collectByPages(session, page, source);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(session.faults, []);
  },
);

testWith(
  [chromium],
  'a website, a feed, an API and a repository of datasets come in twice, and again from the start',
  async (t, chromiumPath) => {
    const session = await startWebSession(t, chromiumPath);
    const page = await session.open('/collection');
    for (const source of await startWebSources(t)) await collectByPages(session, page, source);
    assert.deepEqual(session.faults, []);
  },
);
