import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ending } from './server.ts';
import { findTool, type Tool } from './tools.ts';

export const gitTool: Tool = findTool('git');

export type GitServer = {
  url: string;
  port: number;
  /** A repository with a work tree; the server serves its `.git`. */
  folder: string;
  /** Runs git in the repository; returns what it prints. */
  git(...words: string[]): string;
  /** Adds and commits all files; returns the id of the commit. */
  commit(message?: string): string;
  /** Requests with their bodies, as received by the server. */
  requests: { url: string; body: string }[];
  /** `name:password` that the server requires. */
  demand(credentials: string | undefined): void;
  /** Cuts the connection after this many bytes of each response to a fetch; undefined: never. */
  cutAfter(bytes: number | undefined): void;
  sentBytes: number;
  /** Handles a request like the server, for use in another server. */
  answer(request: IncomingMessage, response: ServerResponse): void;
};

/** Serves a new repository through `git http-backend`; `allowFilter` allows fetching only trees, as large hosts do. */
export async function startGitServer(
  t: Ending,
  paths: { git: string },
  { allowFilter = true, version2 = true, objectFormat = 'sha1' } = {},
): Promise<GitServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-git-'));
  // The user's own Git settings must have no influence.
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Erin',
    GIT_AUTHOR_EMAIL: 'erin@example.org',
    GIT_COMMITTER_NAME: 'Erin',
    GIT_COMMITTER_EMAIL: 'erin@example.org',
  };
  const git = (...words: string[]): string =>
    execFileSync(paths.git, words, {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  git('init', '-q', '-b', 'main', `--object-format=${objectFormat}`);
  git('config', 'uploadpack.allowFilter', String(allowFilter));
  git('config', 'gc.auto', '0');
  let demanded: string | undefined;
  let cut: number | undefined;

  const http = createServer((request, response) => server.answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const url = new URL(request.url ?? '/', 'http://localhost');
    server.requests.push({ url: url.pathname, body: body.toString() });
    const expected = demanded === undefined ? undefined : `Basic ${Buffer.from(demanded).toString('base64')}`;
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end();
      return;
    }
    const backend = spawn(paths.git, ['http-backend'], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname.replace(/^\/it\//, '/.git/'),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
        ...(version2 ? { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') } : {}),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const exited = once(backend, 'exit');
    backend.stdin.on('error', () => {}).end(body);
    response.on('close', () => backend.kill());
    await forward(backend.stdout, response, body.includes('command=fetch') ? cut : undefined);
    await exited;
  }

  /** Forwards the output of a CGI program: its headers, then the body. */
  async function forward(
    output: AsyncIterable<Buffer>,
    response: ServerResponse,
    limit: number | undefined,
  ): Promise<void> {
    let head = Buffer.alloc(0);
    let sent = 0;
    for await (const piece of output) {
      let bytes = piece;
      if (!response.headersSent) {
        head = Buffer.concat([head, piece]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) continue;
        const lines = head.toString('latin1', 0, end).split('\r\n');
        const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
        const status = headers.find(([name]) => name === 'Status')?.[1];
        response.writeHead(Number.parseInt(status ?? '200', 10), Object.fromEntries(headers));
        bytes = head.subarray(end + 4);
      }
      if (limit !== undefined && sent + bytes.length > limit) {
        response.write(bytes.subarray(0, limit - sent), () => response.destroy());
        return;
      }
      sent += bytes.length;
      server.sentBytes += bytes.length;
      if (response.destroyed) return;
      await new Promise<void>((resolve) => void response.write(bytes, () => resolve()));
    }
    response.end();
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
    await rm(folder, { recursive: true, force: true });
  });
  const { port } = http.address() as AddressInfo;
  const server: GitServer = {
    url: `http://127.0.0.1:${port}/.git`,
    port,
    folder,
    git,
    commit(message = 'Change') {
      git('add', '-A');
      git('commit', '-q', '-m', message);
      return git('rev-parse', 'HEAD').trim();
    },
    requests: [],
    demand: (credentials) => (demanded = credentials),
    cutAfter: (bytes) => (cut = bytes),
    sentBytes: 0,
    answer: (request, response) => void answer(request, response).catch(() => response.destroy()),
  };
  return server;
}
