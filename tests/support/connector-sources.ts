import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import SqliteDatabase from 'better-sqlite3';
import { startFileServer } from '../fakes/file-server.ts';
import { gitTool, startGitServer } from './git-server.ts';
import { mariadb, startMariadb } from './mariadb.ts';
import { openssl } from './nginx.ts';
import { postgres } from './postgres.ts';
import { startSource } from './postgresql-source.ts';
import { pamWrapper, sshd, sshKeygen, startSshd } from './sshd.ts';
import type { Tool } from './tools.ts';
import { startS3, versitygw } from './versitygw.ts';

/** A source with items, and a way to add one that sorts like the last: a row of the same value. */
export type OpenedSource = { config: object; addTie?: () => Promise<unknown> };

/** How the tests open a source of a connector. */
export type ConnectorSource = {
  tools: readonly Tool[];
  kind: 'files' | 'rows';
  /** Lists items by following what it has fetched: interrupting it is the subject of tests of its own. */
  follows?: true;
  open(t: TestContext, count: number, tools: readonly (string | undefined)[]): Promise<OpenedSource>;
};

const hardNames = ['a.txt', 'b c&d.txt', 'deep/高.txt', '%41.txt', "deep/quote'.txt", 'é.txt', 'x+y=z.txt'];
/** Names of files in a source: the first ones are hard. */
export const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_name, index) => hardNames[index] ?? `many/${index % 100}/${index}.txt`);

/** Rows of which three share each value of `n`. */
const rowsOf = (count: number): { id: number; n: number }[] =>
  Array.from({ length: count }, (_row, id) => ({ id, n: Math.floor(id / 3) }));
const valuesOf = (count: number): string =>
  rowsOf(count)
    .map(({ id, n }) => `(${id}, ${n})`)
    .join(', ');
const tie = (count: number): string => `(${count}, ${Math.floor((count - 1) / 3)})`;

const longAgo = new Date(1_700_000_000_000);

async function writeFiles(folder: string, count: number): Promise<void> {
  for (const name of namesOf(count)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `content of ${name}`);
    // SFTP tells times in seconds: what has just been written may still change within one.
    await utimes(join(folder, name), longAgo, longAgo);
  }
}

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-conformance-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** One declaration per connector; `server/connectors/conformance.test.ts` fails without it. */
export const connectorSources: Readonly<Record<string, ConnectorSource>> = {
  'local-folder': {
    tools: [],
    kind: 'files',
    async open(t, count) {
      const path = await newFolder(t);
      await writeFiles(path, count);
      return { config: { path } };
    },
  },
  'http-files': {
    tools: [],
    kind: 'files',
    async open(t, count) {
      const server = await startFileServer(t);
      for (const name of namesOf(count)) server.answers.set(`/${encoded(name)}`, `content of ${name}`);
      return { config: { urls: namesOf(count).map((name) => `${server.url}/${encoded(name)}`) } };
    },
  },
  huggingface: {
    tools: [],
    kind: 'files',
    async open(t, count) {
      const server = await startFileServer(t);
      const commit = 'a'.repeat(40);
      const entries = namesOf(count).map((path) => {
        const content = `content of ${path}`;
        server.answers.set(`/datasets/org/set/resolve/${commit}/${encoded(path)}`, content);
        const oid = createHash('sha1').update(content).digest('hex');
        return { type: 'file', path, size: Buffer.byteLength(content), oid };
      });
      server.answers.set('/api/datasets/org/set/revision/main', JSON.stringify({ sha: commit }));
      server.answers.set(`/api/datasets/org/set/tree/${commit}?recursive=true`, JSON.stringify(entries));
      return { config: { endpoint: server.url, repository: 'org/set' } };
    },
  },
  git: {
    tools: [gitTool],
    kind: 'files',
    async open(t, count, [git = '']) {
      const server = await startGitServer(t, { git }, { allowFilter: false });
      await writeFiles(server.folder, count);
      server.commit();
      return { config: { url: server.url } };
    },
  },
  s3: {
    tools: [versitygw],
    kind: 'files',
    async open(t, count) {
      const { folder, ...server } = await startS3(t, 'soil');
      await writeFiles(folder, count);
      return { config: { ...server, bucket: 'soil' } };
    },
  },
  sftp: {
    tools: [sshKeygen, sshd, pamWrapper],
    kind: 'files',
    async open(t, count, [keygen = '']) {
      const { folder, config } = await startSshd(t, { keygen });
      await writeFiles(folder, count);
      return { config };
    },
  },
  'web-crawl': {
    tools: [],
    kind: 'files',
    follows: true,
    async open(t, count) {
      const server = await startFileServer(t);
      const names = namesOf(count).map((name) => `/${encoded(name)}`);
      const page = (title: string): string =>
        `<html><title>${title}</title><body><p>${title} ${'soil and rain '.repeat(30)}</p>`;
      // A tree: each page leads to two more.
      const linksOf = (index: number): string =>
        [names[2 * index + 1], names[2 * index + 2]]
          .map((link) => (link === undefined ? '' : `<a href="${link}">next</a>`))
          .join(' ');
      for (const [index, name] of names.entries())
        server.answers.set(name, (_request, response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end(page(name) + linksOf(index)),
        );
      return {
        config: {
          startUrls: [server.url + (names[0] ?? '')],
          sitemaps: false,
          requestsPerSecond: 1000,
          maxDepth: 100,
          maxPages: 20_000,
        },
      };
    },
  },
  'http-api': {
    tools: [],
    kind: 'rows',
    async open(t, count) {
      const server = await startFileServer(t);
      server.answers.set('/rows', JSON.stringify(rowsOf(count)));
      return { config: { url: `${server.url}/rows` } };
    },
  },
  rss: {
    tools: [],
    kind: 'rows',
    async open(t, count) {
      const server = await startFileServer(t);
      const entries = rowsOf(count).map(({ id }) => `<item><guid>${id}</guid><title>t${id}</title></item>`);
      server.answers.set(
        '/feed',
        `<?xml version="1.0"?><rss version="2.0"><channel>${entries.join('')}</channel></rss>`,
      );
      return { config: { url: `${server.url}/feed` } };
    },
  },
  sqlite: {
    tools: [],
    kind: 'rows',
    async open(t, count) {
      const path = join(await newFolder(t), 'source.db');
      const run = async (sql: string): Promise<void> => {
        const db = new SqliteDatabase(path);
        db.exec(sql);
        db.close();
      };
      await run(`create table t (id integer, n integer); insert into t values ${valuesOf(count)}`);
      const config = { path, table: 't', incrementalColumn: 'n' };
      return { config, addTie: () => run(`insert into t values ${tie(count)}`) };
    },
  },
  postgresql: {
    tools: [postgres],
    kind: 'rows',
    async open(t, count) {
      const { config, sql } = await startSource(t);
      await sql(`create table t (id int, n int); insert into t values ${valuesOf(count)}`);
      const addTie = () => sql(`insert into t values ${tie(count)}`);
      return { config: { ...config, table: 't', incrementalColumn: 'n' }, addTie };
    },
  },
  mysql: {
    tools: [mariadb, openssl],
    kind: 'rows',
    async open(t, count, [, opensslPath]) {
      const { config, sql } = await startMariadb(t, { openssl: opensslPath });
      await sql('create table t (id int, n int)', `insert into t values ${valuesOf(count)}`);
      const addTie = () => sql(`insert into t values ${tie(count)}`);
      return { config: { ...config, table: 't', incrementalColumn: 'n' }, addTie };
    },
  },
};
