import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApiPath } from './openapi.ts';
import type { AreaApp } from './routes.ts';

const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const pageOf = (basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tilth API</title>
<link rel="icon" type="image/png" href="${basePath}/docs/favicon-32x32.png">
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`;

const startOf = (basePath: string): string => `window.ui = SwaggerUIBundle({
  url: ${JSON.stringify(basePath + openApiPath)},
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Swagger UI sets style attributes and shows icons as data: URLs; scripts come from this server's files only. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * The API reference at `/docs`, to which `/` redirects if there is no web application; all files come from the
 * installed package.
 */
export function addDocsPage(app: AreaApp, { atRoot }: { atRoot: boolean }): void {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
  const route = (path: string, type: string, content: () => Promise<string | Buffer>): void => {
    app.get(path, { config: { access: 'PUBLIC' }, schema: { hide: true } }, async (_request, reply) => {
      reply.header('content-type', type).header('content-security-policy', policy);
      reply.header('cache-control', 'no-cache');
      return content();
    });
  };
  if (atRoot)
    app.get('/', { config: { access: 'PUBLIC' }, schema: { hide: true } }, (_request, reply) =>
      reply.redirect(`${app.basePath}/docs`),
    );
  route('/docs', 'text/html; charset=utf-8', async () => pageOf(app.basePath));
  route('/docs/start.js', 'text/javascript; charset=utf-8', async () => startOf(app.basePath));
  for (const [file, type] of Object.entries(assets)) route(`/docs/${file}`, type, () => readFile(join(folder, file)));
}
