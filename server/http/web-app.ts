import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../kernel/errors.ts';
import { pathOf } from './error-answer.ts';
import type { AreaApp } from './routes.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  // Character maps and fonts for rendering PDF pages.
  '.bcmap': 'application/octet-stream',
  '.pfb': 'application/octet-stream',
  '.ttf': 'font/ttf',
  '.json': 'application/json; charset=utf-8',
};

/**
 * Scripts come from this server's files only, none from the page; WebAssembly computes checksums. The component library
 * sets style attributes. Images, audio and video may come from `blob:` URLs created by the page, as previews of files
 * do.
 */
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";

const hashedFor = 'public, max-age=31536000, immutable';

export type WebApp = {
  /** Answers a request for a page of the application; false when the request is for something else. */
  sendPage(request: FastifyRequest, reply: FastifyReply): boolean;
};

/**
 * Serves the web application built into `folder`; undefined if there is none. Every page has its own address, so each
 * browser request that is neither a file nor an API call is answered with the one HTML page.
 */
export async function addWebApp(app: AreaApp, folder: string): Promise<WebApp | undefined> {
  const files = await listFiles(folder);
  if (!files.includes('index.html')) return undefined;
  const compressed = new Set(files.filter((path) => path.endsWith('.br')));
  const index = pageUnder(app.basePath, readFileSync(join(folder, 'index.html'), 'utf8'));

  const served = new Map<string, string>();
  for (const path of files) {
    const type = types[extname(path)];
    if (type !== undefined && path !== 'index.html') served.set(path, type);
  }
  const send = (path: string, request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const type = served.get(path);
    if (type === undefined) throw errors.NOT_FOUND({ what: `The path ${pathOf(request)}` });
    reply.header('content-type', type).header('vary', 'accept-encoding');
    reply.header('cache-control', path.startsWith('assets/') ? hashedFor : 'no-cache');
    // A worker is subject to the policy of its own script.
    reply.header('content-security-policy', policy);
    if (!compressed.has(`${path}.br`) || !acceptsBrotli(request)) return readFile(join(folder, path));
    reply.header('content-encoding', 'br');
    return readFile(join(folder, `${path}.br`));
  };
  const isPublic = { config: { access: 'PUBLIC' }, schema: { hide: true } } as const;
  // One route for the hundreds of files in a folder: each route takes its time at every start.
  const folders = new Set<string>();
  for (const path of served.keys()) {
    const [first = '', ...rest] = path.split('/');
    if (rest.length > 0) folders.add(first);
    else app.get(`/${path}`, isPublic, (request, reply) => send(path, request, reply));
  }
  for (const first of folders)
    app.get<{ Params: { '*': string } }>(`/${first}/*`, isPublic, (request, reply) =>
      send(`${first}/${request.params['*']}`, request, reply),
    );
  const sendIndex = (reply: FastifyReply): FastifyReply =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy)
      .send(index);
  app.get('/', isPublic, (_request, reply) => sendIndex(reply));

  return {
    sendPage(request, reply) {
      if (request.method !== 'GET' || !(request.headers.accept ?? '').includes('text/html')) return false;
      sendIndex(reply.code(200));
      return true;
    },
  };
}

/** The page behind a proxy: its files and routes are below the base path. */
function pageUnder(basePath: string, html: string): string {
  return html
    .replaceAll(/(?<= (?:href|src)=")\.\//g, `${basePath}/`)
    .replace('<meta name="tilth-base-path" content=""', `<meta name="tilth-base-path" content="${basePath}"`);
}

function acceptsBrotli(request: FastifyRequest): boolean {
  return /(?:^|,)\s*br\s*(?:,|;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|$)/.test(request.headers['accept-encoding'] ?? '');
}

/** Paths of all files below a folder, `/`-separated; empty if the folder doesn't exist. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      );
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}
