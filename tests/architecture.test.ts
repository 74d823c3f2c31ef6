// The dependency map: which folder may import which, and which packages. A new dependency needs a change of this table.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tablesIn } from '../scripts/registries.ts';
import { findViolations, type Row } from './support/import-rules.ts';

const storage = ['database', 'disk space', 'blobs', 'backup', 'moving', 'vectors'];
const ways = ['secrets', 'outgoing'];
const belowRuns = ['database', 'kernel'];
const belowNodes = ['database', 'kernel'];
const belowEngine = [
  'runs',
  'operator packages',
  'sandbox',
  'operators',
  'connectors',
  'documents',
  'chunking',
  'tables',
  'models',
  'processes',
  ...ways,
  ...storage,
  'kernel',
];
const belowWork = ['operator packages', 'sandbox', 'operators', 'documents', 'tables', 'processes', 'kernel'];
const belowTasks = ['runs', 'database', 'kernel'];
const belowAreas = ['nodes', 'tasks', 'engine', 'contents', ...belowEngine];

/** The SQL of a folder: its own tables are those declared by files of `tables/`; it may join a few others. */
function queriesOf(folder: string, own: readonly string[], others: readonly string[] = []): Row {
  return {
    name: 'queries',
    files: [`server/${folder}/queries/*.ts`],
    imports: ['database', 'kernel'],
    types: ['schemas', 'task schemas', 'rules', 'engine', 'runs', 'tasks', 'models', 'secrets', 'blobs'],
    packages: ['kysely'],
    sql: true,
    tables: [...own.flatMap(tablesOf), ...others],
  };
}

function tablesOf(file: string): string[] {
  const source = readFileSync(`server/storage/database/tables/${file}.ts`, 'utf8');
  return tablesIn(source).map(({ table }) => table);
}

// Imports go down this list, never up; only `app` and the routes of areas may import `http`.
const map: readonly Row[] = [
  // A client of a service that may run elsewhere: it uses only the API, and calls an address that its user gives.
  { name: 'cli', files: ['server/commands/cli/**'], imports: [], packages: [], network: true },
  {
    name: 'main',
    files: ['server/main.ts', 'server/command-line.ts', 'server/commands/**'],
    imports: ['app', 'cli', 'config', 'secrets', ...storage, 'kernel'],
    packages: ['pino'],
    // The jobs of a cluster run a build of the same sources.
    loaders: ['server/main.ts'],
  },
  {
    name: 'app',
    files: [
      'server/app.ts',
      'server/area-settings.ts',
      'server/stored-data.ts',
      'server/data-directory.ts',
      'server/blob-storage.ts',
      'server/cluster-settings.ts',
      'server/driver-process.ts',
      'server/foundation.ts',
      'server/process-scratch.ts',
      'server/web-server.ts',
      'server/worker-process.ts',
    ],
    imports: ['config', 'area', 'what an area is', 'http', 'cluster', ...belowAreas],
    packages: ['fastify', 'pino'],
  },
  // Types of the runtime that no package declares.
  { name: 'declarations', files: ['server/*.d.ts'], imports: [], packages: [] },
  {
    name: 'config',
    files: ['server/config.ts', 'server/config/*.ts'],
    imports: ['kernel'],
    packages: ['typebox'],
  },

  {
    // The type that each area implements; it imports only types, from the modules that use what areas contribute.
    name: 'what an area is',
    files: ['server/area.ts'],
    imports: [],
    types: ['area', 'tasks', 'http', 'kernel'],
    packages: [],
  },

  // The parts of an area. Other areas see only the types of its index.ts.
  {
    name: 'area',
    files: ['server/areas/*/index.ts'],
    imports: ['routes', 'schemas', 'rules', ...belowAreas],
    // The type of the routes that it exports.
    types: ['http', 'what an area is'],
    packages: [],
  },
  {
    name: 'routes',
    files: ['server/areas/*/routes.ts', 'server/areas/*/*-routes.ts', 'server/areas/*/*/*-routes.ts'],
    imports: ['schemas', 'rules', 'task routes', 'task schemas', 'http', 'http schemas', 'kernel'],
    // The tasks of the area that the routes serve.
    types: ['tasks'],
    packages: ['typebox', 'fastify'],
  },
  {
    name: 'schemas',
    files: ['server/areas/*/schemas/*.ts'],
    imports: ['task schemas', 'chunking schemas', 'http schemas', 'kernel'],
    packages: ['typebox'],
  },
  queriesOf('areas/auth', ['auth']),
  queriesOf('nodes', ['nodes']),
  queriesOf(
    'areas/data-management',
    ['datasets', 'uploads'],
    [
      // A file shows its blob's SHA-256; uploads look up which of their chunks have arrived.
      'blobs',
      'assemblies',
      'assembly_chunks',
      // Work that a node has claimed is released when the node is gone.
      'nodes',
    ],
  ),
  queriesOf('areas/data-collection', ['data-collection']),
  queriesOf('areas/data-synthesis', ['data-synthesis']),
  // Whether a document's bytes exist.
  queriesOf('areas/rag', ['rag'], ['blobs']),
  queriesOf('engine/drive', ['engine']),
  queriesOf('runs', ['runs']),
  // Tasks are filtered by the state of their latest run. The templates of all areas have one implementation.
  queriesOf('tasks', ['tasks', 'templates'], ['runs']),
  queriesOf('secrets', ['secrets']),
  queriesOf('models', ['models']),
  queriesOf('areas/operator-market', ['operator-market']),
  queriesOf('areas/*', []),
  {
    name: 'rules',
    files: ['server/areas/auth/**'],
    imports: ['schemas', 'queries', ...belowAreas],
    packages: ['typebox', 'jose', 'type kysely'],
  },
  {
    name: 'rules',
    files: ['server/areas/data-synthesis/**'],
    imports: ['schemas', 'queries', ...belowAreas],
    // cel-js: CEL, a standard expression language without unbounded loops; no dependencies, a tenth of the size of Buf's, which needs
    // protobuf.
    // re2js: RE2 in JavaScript, so that users' patterns take linear time at most; re2 is a native module that is built on install.
    // The grammars of CodeMirror: they parse code, in one way for all languages and in linear time.
    packages: ['typebox', 'type kysely', '@marcbachmann/cel-js', 're2js', '@lezer/javascript', '@lezer/python'],
  },
  {
    name: 'rules',
    files: ['server/areas/**'],
    imports: ['schemas', 'queries', ...belowAreas],
    packages: ['typebox', 'type kysely'],
  },

  // What all tasks share: rules, and the routes and schemas that areas reuse.
  {
    name: 'task routes',
    files: ['server/tasks/routes.ts', 'server/tasks/run-routes.ts', 'server/tasks/template-routes.ts'],
    imports: ['task schemas', 'http', 'http schemas', 'kernel'],
    types: ['tasks'],
    packages: ['typebox', 'fastify'],
  },
  {
    name: 'task schemas',
    files: ['server/tasks/schemas.ts', 'server/tasks/template-schemas.ts'],
    imports: ['http schemas', 'kernel'],
    packages: ['typebox'],
  },
  {
    name: 'tasks',
    files: ['server/tasks/**'],
    imports: ['queries', ...belowTasks],
    types: ['task schemas'],
    packages: ['croner'],
  },
  {
    name: 'contents',
    files: ['server/contents/**'],
    // The statistics of a text or picture are computed by operators.
    imports: ['orders', 'language detector', 'pictures', 'operators', 'chunking', 'tables', 'processes', 'kernel'],
    packages: [],
  },
  {
    name: 'engine',
    files: ['server/engine/index.ts', 'server/engine/drive/**'],
    imports: ['queries', 'orders', 'starts of workers', ...belowEngine],
    packages: ['typebox'],
  },
  {
    // Data sent between the service and its workers, local or on a cluster: jobs, results, verdicts, lines of ledgers.
    name: 'orders',
    files: ['server/engine/orders/**'],
    imports: [...belowWork, 'models', 'blobs'],
    packages: ['typebox'],
  },
  {
    // The entry modules of the engine's threads, the only worker modules that the service names.
    name: 'starts of workers',
    files: ['server/engine/work/worker.ts', 'server/engine/work/ledger/ledger-worker.ts'],
    imports: ['work', 'orders', ...belowWork],
    packages: [],
    // Workers are given the list of operators.
    loaders: ['server/engine/work/worker.ts'],
  },
  {
    // The work of workers, local or on a cluster: they have no access to the service's database, runs or clock.
    name: 'work',
    files: ['server/engine/work/**'],
    imports: ['orders', ...belowWork],
    packages: [],
  },
  {
    name: 'operator packages',
    files: ['server/operator-packages/**'],
    imports: ['sandbox', 'operators', 'processes', 'kernel'],
    packages: ['typebox'],
  },
  {
    // Runs untrusted code: it imports nothing of the service except sentences.
    name: 'sandbox',
    files: ['server/sandbox/**'],
    imports: ['kernel'],
    // quickjs-emscripten-core with one of its variants: QuickJS in WebAssembly, whose memory can be capped; the package quickjs-emscripten
    // includes four variants. isolated-vm: V8 isolates, prebuilt; used only in a process that is sandboxed and killed by a watchdog.
    packages: ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync', 'isolated-vm'],
  },
  // The head of a cluster, whose address is a setting.
  {
    name: 'cluster',
    files: ['server/cluster/**'],
    imports: ['runs', 'secrets', 'kernel'],
    packages: [],
    network: true,
  },
  { name: 'runs', files: ['server/runs/**'], imports: ['queries', ...belowRuns], packages: [] },
  // The processes that serve the API over one database.
  { name: 'nodes', files: ['server/nodes/**'], imports: ['queries', ...belowNodes], packages: [] },
  {
    name: 'language detector',
    files: ['server/operators/filters/language-detector.ts'],
    imports: [],
    // eld: identifies 0.99 of labelled sentences under 60 characters correctly; franc-min and tinyld 0.92, with 5 and 8 instead of 80 MiB
    // per thread. Loaded at the first text, by Node's require.
    packages: ['eld'],
  },
  {
    name: 'flagged words',
    files: ['server/operators/filters/flagged-words.ts'],
    imports: [],
    // naughty-words: the list that C4 uses, as its authors publish it (data, CC BY 4.0); read at the first use, by Node's require.
    packages: ['naughty-words'],
  },
  {
    name: 'chinese converter',
    files: ['server/operators/normalizers/chinese-converter.ts'],
    imports: [],
    // opencc-js: OpenCC with all its dictionaries in JavaScript; loaded at the first text, by Node's require.
    packages: ['opencc-js'],
  },
  {
    name: 'pictures',
    files: ['server/operators/images/pictures.ts'],
    imports: ['operators', 'kernel'],
    // sharp: libvips, by far the fastest image library, prebuilt; its native part (LGPL) is loaded separately, at the first picture.
    packages: ['sharp'],
    builtins: false,
  },
  {
    name: 'operators',
    files: ['server/operators/**'],
    imports: ['pictures', 'language detector', 'flagged words', 'chinese converter', 'chunking', 'html', 'kernel'],
    // entities: all 2,231 character references of HTML, read as browsers do.
    // re2js: RE2 in JavaScript, so that users' patterns take linear time at most; re2 is a native module that is built on install.
    // markdown-it: CommonMark with tables in linear time and bounded depth; its HTML is read like any other.
    packages: ['typebox', 'libphonenumber-js', 'entities', 're2js', 'markdown-it'],
    builtins: false,
  },
  {
    name: 'html',
    files: ['server/html/**'],
    imports: [],
    // htmlparser2: only its tokenizer, on which a tree of bounded depth is built: pages are read 2.6 times as fast as by parse5, whose
    // trees are as deep as a hostile page makes them.
    packages: ['htmlparser2'],
    builtins: false,
  },
  {
    name: 'connectors',
    files: ['server/connectors/**'],
    imports: ['html', 'processes', 'outgoing', 'kernel'],
    // pg and better-sqlite3: databases as sources, through drivers that are dependencies anyway; pg over a socket of `outgoing`.
    // mysql2: the maintained driver of MySQL and MariaDB, pure JavaScript; streams rows, also over a socket of `outgoing`.
    // fast-xml-parser: feeds and S3 listings, pure JavaScript, with its @nodable/entities for S3 and entities for feeds, which contain more
    // character references than XML defines; aws4fetch: S3 signatures in one file, so that its requests use the client of all connectors.
    // ssh2: SSH in pure JavaScript, over a socket of `outgoing`; ssh2-sftp-client around it would hide the connection that is to be
    // resumed.
    // For crawls: tldts knows registrable domains, robots-parser implements RFC 9309, parse5 reads HTML as browsers do, and turndown with
    // Joplin's tables converts it to Markdown; see decision 12.
    packages: [
      'typebox',
      'pg',
      'better-sqlite3',
      'mysql2',
      'ssh2',
      'fast-xml-parser',
      '@nodable/entities',
      'entities',
      'aws4fetch',
      'tldts',
      'robots-parser',
      'turndown',
      '@joplin/turndown-plugin-gfm',
      'parse5',
    ],
  },
  {
    name: 'documents',
    files: ['server/documents/**'],
    imports: ['html', 'processes', ...storage, 'kernel'],
    // officeparser depends on pdf.js itself, but does not expose the files of that package that it needs.
    packages: ['officeparser', 'pdfjs-dist', 'postal-mime', 'yauzl'],
  },
  {
    name: 'chunking schemas',
    files: ['server/chunking/schemas.ts'],
    imports: ['http schemas', 'kernel'],
    packages: ['typebox'],
  },
  {
    name: 'chunking',
    files: ['server/chunking/**'],
    imports: ['processes', 'kernel'],
    types: ['chunking schemas'],
    // gpt-tokenizer: counts tokens as models do, in JavaScript; its table takes 70 MiB per thread, so it is loaded at the first text, by
    // Node's require.
    packages: ['gpt-tokenizer'],
  },
  {
    name: 'workbooks',
    files: ['server/tables/workbooks/**'],
    // A sheet is shown as a table and read as part of a document: both use one list of sheets and one way to read dates.
    imports: ['tables', 'documents', 'kernel'],
    // htmlparser2: its tokenizer, a dependency anyway, reads XML block by block and expands none of its own entities.
    packages: ['htmlparser2'],
  },
  {
    name: 'tables',
    files: ['server/tables/**'],
    imports: ['workbooks', 'processes', ...storage, 'kernel'],
    // chardetng-wasm: Firefox's encoding detector; with it 0.98 of labelled texts of 200 characters are decoded correctly, 0.86 with our
    // own rules.
    // seek-bzip: bzip2 in JavaScript; the only one on npm that checks the checksums of blocks and streams and reads a file in pieces.
    // apache-arrow: Arrow's own reader, all types except run-end encoding, pure JavaScript, one record batch in memory; lz4-napi: LZ4
    // frames for it, well maintained and prebuilt for all systems (those in JavaScript have been unmaintained since 2016).
    packages: ['@duckdb/node-api', 'apache-arrow', 'chardetng-wasm', 'lz4-napi', 'seek-bzip'],
  },
  // Threads and processes, and calls to them: for work that may take too long, need too much memory or crash.
  {
    name: 'processes',
    files: ['server/processes/**'],
    // When all processes of a pool are busy, requests wait in its fair queue.
    imports: ['kernel'],
    packages: [],
  },
  {
    name: 'models',
    files: ['server/models/**'],
    imports: ['queries', 'processes', ...ways, ...storage, 'kernel'],
    // re2js: patterns in the schemas that replies are validated against.
    packages: ['typebox', 'openai', 're2js'],
    // An optional package that users install to run their own models.
    loaders: ['server/models/providers/onnx.ts'],
  },
  {
    name: 'secrets',
    files: ['server/secrets/**'],
    imports: ['queries', 'database', 'kernel'],
    packages: [],
  },
  // The only way out: nothing else in the server opens connections, except the database driver.
  { name: 'outgoing', files: ['server/outgoing/**'], imports: ['kernel'], packages: ['undici'], network: true },
  {
    name: 'database',
    files: ['server/storage/database/**'],
    imports: ['processes', 'kernel'],
    packages: ['kysely', 'better-sqlite3', 'pg'],
    sql: true,
  },
  { name: 'disk space', files: ['server/storage/disk-space/**'], imports: ['database', 'kernel'], packages: [] },
  {
    name: 'blobs',
    files: ['server/storage/blobs/**'],
    imports: ['database', 'disk space', 'processes', 'kernel'],
    // @aws-sdk/client-s3: objects instead of files; it finds credentials in the way that S3 tools usually do.
    packages: ['@node-rs/crc32', 'kysely', '@aws-sdk/client-s3'],
    sql: true,
  },
  {
    name: 'backup',
    files: ['server/storage/backup/**'],
    imports: ['database', 'blobs', 'kernel'],
    packages: ['kysely'],
    sql: true,
  },
  {
    name: 'moving',
    files: ['server/storage/moving/**'],
    imports: ['database', 'blobs', 'backup', 'kernel'],
    packages: ['kysely'],
    sql: true,
  },
  {
    name: 'vectors',
    files: ['server/storage/vectors/**'],
    imports: ['processes', 'kernel'],
    // LanceDB: vectors, BM25 and filters in one library, in a folder or in S3; it takes rows as apache-arrow.
    // usearch: an in-memory HNSW graph for the largest indexes, Apache-2.0, prebuilt for all systems.
    packages: ['@lancedb/lancedb', 'apache-arrow', 'usearch'],
  },
  {
    name: 'http schemas',
    files: ['server/http/schemas.ts', 'server/http/download-schemas.ts'],
    imports: ['kernel'],
    packages: ['typebox', '@fastify/type-provider-typebox'],
  },
  {
    name: 'http',
    files: ['server/http/**'],
    imports: ['http schemas', 'kernel'],
    packages: [
      'fastify',
      '@fastify/swagger',
      '@fastify/swagger-ui',
      '@fastify/type-provider-typebox',
      'typebox',
      'pino',
      'prom-client',
    ],
  },
  { name: 'kernel', files: ['server/kernel/**'], imports: [], packages: ['typebox', 'uuidv7', '@node-rs/crc32'] },
];

// The web application. It imports nothing of the server: the two share the OpenAPI document, from which api/schema.ts is made.
// An area may use another area's pieces only where a row allows it: who may edit, the queries that fill a cache that both
// read, a piece of a page that both show.
const page = ['react', 'react-i18next', '@mantine/core', '@mantine/hooks', '@tabler/icons-react'];
const query = '@tanstack/react-query';
const router = '@tanstack/react-router';
const belowPages = ['web runs', 'web ui', 'web api', 'web shell route', 'web messages'];

const webRows: readonly Row[] = [
  {
    name: 'web main',
    files: ['web/main.tsx', 'web/application.tsx', 'web/router.tsx'],
    imports: ['web area', 'web routes', 'web shell', ...belowPages],
    packages: [
      'react',
      'react-dom',
      '@mantine/core',
      '@mantine/notifications',
      '@mantine/spotlight',
      // The typeface of the application, served from here because nothing is loaded from elsewhere.
      '@fontsource-variable/inter',
      query,
      router,
    ],
  },
  { name: 'web build', files: ['web/vite.config.ts'], imports: [], packages: ['vite', '@vitejs/plugin-react'] },
  {
    name: 'web shell route',
    // The route that an area attaches its pages to, and the type of its contributions.
    files: ['web/shell/{shell-route.tsx,area.ts,lazy-page.ts}'],
    imports: ['web shell', 'web session', 'web api'],
    packages: [router, `type ${query}`, 'react', 'type i18next'],
  },
  {
    // Imports no area: the areas are passed to the shell.
    name: 'web shell',
    files: ['web/shell/**'],
    imports: ['web session', ...belowPages],
    packages: [...page, '@mantine/spotlight', query, router],
  },
  {
    // The interface of an area: its routes, and what the shell shows of it.
    name: 'web area',
    files: ['web/areas/*/index.ts'],
    imports: [
      'web routes',
      'web pages of data management',
      'web pages of cleaning',
      'web pages',
      'web cleaning draft',
      ...belowPages,
    ],
    packages: ['@tabler/icons-react'],
  },
  {
    name: 'web routes',
    files: ['web/areas/*/routes.tsx'],
    imports: ['web pages of auth', 'web pages of data management', 'web pages of cleaning', 'web pages', ...belowPages],
    packages: [router, 'react'],
  },

  // Parts that other areas may use.
  {
    name: 'web session',
    files: ['web/session/**'],
    imports: ['web ui', 'web api'],
    packages: [...page, query],
  },
  {
    name: 'web uploads under way',
    files: ['web/areas/data-management/uploads/*.ts'],
    imports: ['web dataset queries', 'web ui', 'web api'],
    packages: ['react', 'react-i18next', query, router, 'hash-wasm'],
  },
  {
    name: 'web file chooser',
    files: ['web/areas/data-management/uploads/{file-chooser,new-dataset-drop}.tsx'],
    imports: ['web uploads under way', 'web ui', 'web api'],
    packages: page,
  },
  {
    name: 'web dataset queries',
    files: ['web/areas/data-management/{dataset-queries,free-dataset-name}.ts'],
    imports: ['web api'],
    packages: [query],
  },
  {
    name: 'web dataset select',
    files: ['web/areas/data-management/dataset-select.tsx'],
    imports: ['web dataset queries', 'web ui', 'web api'],
    packages: ['@mantine/core', '@mantine/hooks', query, 'react'],
  },
  {
    name: 'web dataset references',
    files: ['web/areas/data-management/dataset-references.tsx'],
    imports: ['web dataset select', 'web dataset queries', 'web ui'],
    packages: [...page, query],
  },
  {
    name: 'web cleaning draft',
    files: ['web/areas/data-cleaning/{cleaning-queries.ts,use-operators.ts,drafts/*}'],
    imports: ['web runs', 'web ui', 'web api', 'web messages'],
    packages: [query, 'react', 'react-i18next'],
  },
  {
    // Knowledge bases and synthesis let users choose a model.
    name: 'web model queries',
    files: ['web/areas/settings/model-queries.ts'],
    imports: ['web api'],
    packages: [query],
  },
  {
    name: 'web model field',
    files: ['web/areas/settings/model-field.tsx'],
    imports: ['web model queries', 'web ui'],
    packages: [...page, query],
  },
  {
    name: 'web operator examples',
    files: ['web/areas/operator-market/operator-examples.tsx'],
    imports: ['web ui', 'web api', 'web messages'],
    packages: page,
  },
  {
    // The builder also searches operators.
    name: 'web operator search',
    files: ['web/areas/operator-market/{operator-search.ts,everyday-words.ts}'],
    imports: ['web ui', 'web api'],
    packages: [],
  },

  {
    name: 'web pages of auth',
    files: ['web/areas/auth/**'],
    imports: ['web session', ...belowPages],
    packages: [...page, query, router],
  },
  {
    name: 'web pages of data management',
    files: ['web/areas/data-management/**'],
    imports: ['web session', 'web dataset queries', 'web uploads under way', 'web file chooser', ...belowPages],
    packages: [...page, query, router, '@tanstack/react-virtual'],
  },
  {
    name: 'web pages of cleaning',
    files: ['web/areas/data-cleaning/**'],
    imports: [
      'web session',
      'web dataset queries',
      'web dataset select',
      'web dataset references',
      'web cleaning draft',
      'web model field',
      'web operator examples',
      'web operator search',
      ...belowPages,
    ],
    packages: [...page, query, router, '@dnd-kit/core', '@dnd-kit/sortable', '@dnd-kit/utilities'],
  },
  {
    name: 'web pages',
    files: ['web/areas/**'],
    imports: [
      'web model queries',
      'web model field',
      'web session',
      'web dataset queries',
      'web dataset select',
      'web dataset references',
      'web uploads under way',
      'web file chooser',
      'web cleaning draft',
      'web operator examples',
      'web operator search',
      ...belowPages,
    ],
    packages: [...page, query, router, 'i18next', 'papaparse'],
  },

  {
    // What runs of all areas share.
    name: 'web runs',
    files: ['web/runs/**'],
    imports: ['web session', 'web shell route', 'web ui', 'web api', 'web messages'],
    packages: [...page, query, router, 'cronstrue'],
  },
  {
    name: 'web ui',
    files: ['web/ui/**'],
    imports: ['web api', 'web messages'],
    // PDF pages are rendered in the browser beside the text extracted from them. Readmes are parsed by markdown-it and rendered as
    // elements.
    packages: [...page, '@mantine/notifications', router, 'i18next', 'diff', 'pdfjs-dist', 'markdown-it'],
  },
  { name: 'web messages', files: ['web/messages/**'], imports: [], packages: ['i18next', 'react-i18next'] },
  { name: 'web api', files: ['web/api/**'], imports: [], packages: ['openapi-fetch'] },
];

// Node's modules do not exist in a browser.
const webMap = webRows.map((row) => ({ ...row, builtins: false, network: true }));

test('every file of the web application keeps to its map', () => {
  const paths = globSync('web/**/*.{ts,tsx}', { exclude: ['web/dist/**'] }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  assert.ok(paths.length > 0, 'the test looks for web/ in the folder it is started in');
  assert.deepEqual(findViolations(webMap, new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))), []);
});

test('the map of the web application refuses what belongs to the server and what is nobody else’s', () => {
  const refused: readonly (readonly [path: string, source: string])[] = [
    ['web/api/client.ts', `import type { Dataset } from '../../server/areas/data-management/index.ts';`],
    ['web/api/client.ts', `import { useState } from 'react';`],
    ['web/ui/figures.tsx', `import { datasetQuery } from '../areas/data-management/dataset-queries.ts';`],
    ['web/areas/home/home-page.tsx', `import { DatasetPage } from '../data-management/dataset-page.tsx';`],
    ['web/shell/shell.tsx', `import { dataCleaning } from '../areas/data-cleaning/index.ts';`],
    ['web/runs/run-log.tsx', `import { cleaning } from '../areas/data-cleaning/cleaning-queries.ts';`],
    ['web/areas/home/home-page.tsx', `import { Shell } from '../../shell/shell.tsx';`],
    ['web/areas/settings/users.tsx', `import { readFile } from 'node:fs/promises';`],
    ['web/areas/settings/users.tsx', `import { LineChart } from 'left-pad';`],
    ['web/elsewhere/thing.tsx', ''],
  ];
  for (const [path, source] of refused)
    assert.notDeepEqual(findViolations(webMap, new Map([[path, source]])), [], `${path}: ${source}`);
});

test('every file of the server keeps to the map', () => {
  const paths = globSync('server/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
  assert.ok(paths.length > 0, 'the test looks for server/ in the folder it is started in');
  assert.deepEqual(findViolations(map, new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))), []);
});

// Checks of the map itself: made-up files, and whether each import must be allowed.
const edges: readonly (readonly [from: string, source: string, allowed: boolean])[] = [
  ['server/main.ts', `import { buildApp } from './app.ts';`, true],
  ['server/main.ts', `import { createDatasets } from './areas/soil/index.ts';`, false],
  ['server/main.ts', `readFileSync(new URL('../package.json', import.meta.url));`, true],
  ['server/app.ts', `import { run } from './commands/serve.ts';`, false],
  ['server/app.ts', `new Worker(new URL('commands/serve.ts', import.meta.url));`, false],
  ['server/engine/drive/pool.ts', `new Worker(new URL('../work/samples/chain.ts', import.meta.url));`, false],
  ['server/engine/drive/pool.ts', `new Worker(new URL('../work/worker.ts', import.meta.url));`, true],
  ['server/app.ts', `import { createDatasets } from './areas/soil/index.ts';`, true],
  ['server/app.ts', `import { createDatasets } from './areas/soil/datasets.ts';`, false],
  ['server/app.ts', `import { main } from './main.ts';`, false],
  ['server/command-line.ts', `const { runCli } = await import('./commands/cli/cli.ts');`, true],
  ['server/commands/cli/client.ts', `const answer = await fetch(url);`, true],
  ['server/commands/cli/client.ts', `import { buildApp } from '../../app.ts';`, false],
  ['server/app.ts', `import { answers } from '../tests/support/answers.ts';`, false],
  ['server/app.ts', `import { run } from '../scripts/child-process.ts';`, false],
  ['server/config.ts', `import { openDatabase } from './storage/database/database.ts';`, false],
  ['server/areas/soil/routes.ts', `import { PageSchema } from '../../http/schemas.ts';`, true],
  ['server/areas/soil/routes.ts', `import type { AreaRoutes } from '../../http/routes.ts';`, true],
  ['server/areas/soil/routes.ts', `import { findSoil } from './queries/soil.ts';`, false],
  ['server/areas/soil/routes.ts', `import type { Db } from '../../storage/database/database.ts';`, false],
  ['server/areas/soil/fields.ts', `import type { AreaRoutes } from '../../http/routes.ts';`, false],
  ['server/areas/soil/fields.ts', `import { soilRoutes } from './routes.ts';`, false],
  ['server/areas/soil/fields.ts', `import { findSoil } from './queries/soil.ts';`, true],
  ['server/areas/soil/fields.ts', `import { findSeed } from '../seed/queries/seeds.ts';`, false],
  ['server/areas/soil/fields.ts', `import type { Seeds } from '../seed/index.ts';`, true],
  ['server/areas/soil/fields.ts', `import { createSeeds } from '../seed/index.ts';`, false],
  ['server/areas/soil/fields.ts', `import { type Seeds } from '../seed/index.ts';`, false],
  ['server/areas/soil/fields.ts', `import type { Seeds } from '../seed/seeds.ts';`, false],
  ['server/areas/soil/fields.ts', `export * from '../seed/index.ts';`, false],
  ['server/areas/soil/fields.ts', `const seeds = await import('../seed/index.ts');`, false],
  ['server/areas/soil/fields.ts', `const seeds = await import(path);`, false],
  ['server/areas/soil/fields.ts', `import { config } from '../../config.ts';`, false],
  ['server/areas/soil/fields.ts', `import { createEngine } from '../../engine/index.ts';`, true],
  ['server/areas/soil/fields.ts', `import { sql } from 'kysely';`, false],
  ['server/areas/soil/fields.ts', `import type { Transaction } from 'kysely';`, true],
  ['server/areas/soil/fields.ts', `export const find = (db) => db.selectFrom('fields').execute();`, false],
  ['server/areas/soil/fields.ts', 'export const find = (db) => sql<{ id: string }>`select 1`.execute(db);', false],
  ['server/areas/soil/fields.ts', `import { SignJWT } from 'jose';`, false],
  ['server/areas/soil/fields.ts', `import fastify from 'fastify';`, false],
  ['server/areas/soil/fields.ts', `import { readFile } from 'node:fs/promises';`, true],
  ['server/areas/soil/fields.ts', `import { readFile } from 'fs/promises';`, false],
  ['server/areas/soil/fields.ts', `import {\n  test,\n  type Unused,\n} from "node:fs";\nimport 'left-pad';`, false],
  ['server/areas/soil/queries/soil.ts', `import { sql } from 'kysely';\nexport const one = sql\`select 1\`;`, true],
  ['server/areas/soil/queries/soil.ts', `import { decide } from '../fields.ts';`, false],
  ['server/areas/soil/queries.ts', `import { sql } from 'kysely';\nexport const one = sql\`select 1\`;`, false],
  ['server/engine/drive/queries/shards.ts', `import { sql } from 'kysely';\nexport const one = sql\`select 1\`;`, true],
  ['server/engine/drive/queries/shards.ts', `export const find = (db) => db.selectFrom('shards').execute();`, true],
  ['server/engine/drive/queries/shards.ts', `export const find = (db) => db.selectFrom('runs').execute();`, false],
  ['server/engine/drive/queries/shards.ts', 'export const find = (db) => sql`select id from runs`.execute(db);', false],
  ['server/areas/soil/queries/soil.ts', `export const find = (db) => db.deleteFrom('files').execute();`, false],
  [
    'server/areas/data-cleaning/queries/names.ts',
    'export const set = (db) => sql`update datasets set name = 1`;',
    false,
  ],
  [
    'server/tasks/queries/tasks.ts',
    `export const find = (db) => db.selectFrom('tasks').leftJoin('runs', 'a', 'b');`,
    true,
  ],
  ['server/runs/runs.ts', `import { createTasks } from '../tasks/tasks.ts';`, false],
  ['server/runs/runs.ts', `import { createEngine } from '../engine/index.ts';`, false],
  ['server/areas/soil/routes.ts', `import { addTaskRoutes } from '../../tasks/routes.ts';`, true],
  ['server/areas/soil/fields.ts', `import { addTaskRoutes } from '../../tasks/routes.ts';`, false],
  ['server/engine/drive/runs.ts', `import { findSoil } from '../../areas/soil/queries/soil.ts';`, false],
  ['server/tables/queries.ts', 'export const one = sql`select 1`;', false],
  ['server/areas/soil/index.ts', `import type { AreaRoutes } from '../../http/routes.ts';`, true],
  ['server/areas/soil/index.ts', `import { sendError } from '../../http/error-answer.ts';`, false],
  ['server/areas/soil/schemas/soil.ts', `import { Type } from 'typebox';`, true],
  ['server/areas/soil/schemas/soil.ts', `import { decide } from '../fields.ts';`, false],
  ['server/areas/soil/notes.ts', `// import { decide } from '../seed/fields.ts';`, true],
  ['server/areas/auth/tokens.ts', `import { SignJWT } from 'jose';`, true],
  ['server/areas/data-management/archives.ts', `import yauzl from 'yauzl';`, false],
  ['server/engine/drive/runs.ts', `import { createTasks } from '../../areas/soil/index.ts';`, false],
  ['server/engine/drive/runs.ts', `import type { Task } from '../../areas/soil/index.ts';`, false],
  ['server/engine/drive/runs.ts', `const { operators } = await import(url);`, false],
  ['server/engine/work/worker.ts', `const { operators } = await import(url);`, true],
  ['server/engine/drive/runs.ts', `import { operators } from '../../operators/index.ts';`, true],
  ['server/engine/drive/runs.ts', `import type { Step } from '../orders/steps.ts';`, true],
  ['server/engine/drive/runs.ts', `import type { Step } from '../work/samples/chain.ts';`, false],
  ['server/engine/work/chain.ts', `import type { Step } from '../orders/steps.ts';`, true],
  ['server/engine/work/chain.ts', `import type { Run } from '../drive/recipe-run.ts';`, false],
  ['server/engine/work/chain.ts', `import type { Runs } from '../../runs/index.ts';`, false],
  ['server/engine/work/chain.ts', `import type { Database } from '../../storage/database/database.ts';`, false],
  ['server/engine/orders/steps.ts', `import type { Chain } from '../work/samples/chain.ts';`, false],
  ['server/engine/orders/steps.ts', `import type { Run } from '../drive/recipe-run.ts';`, false],
  ['server/engine/drive/pool.ts', `new Worker(new URL('../../areas/soil/worker.ts', import.meta.url));`, false],
  ['server/operators/lower-case.ts', `import { createHash } from 'node:crypto';`, false],
  ['server/operators/lower-case.ts', `import { splitLines } from '../tables/lines.ts';`, false],
  ['server/operators/lower-case.ts', `import type { Sample } from '../kernel/sample.ts';`, true],
  ['server/tables/jsonl.ts', `import { parse } from '../documents/html.ts';`, false],
  ['server/storage/database/pool.ts', `import pg from 'pg';`, true],
  ['server/storage/blobs/files.ts', `import pg from 'pg';`, false],
  ['server/storage/blobs/files.ts', `import { run } from '../../engine/runs.ts';`, false],
  ['server/http/server.ts', `import type { Users } from '../areas/auth/index.ts';`, false],
  ['server/http/server.ts', `import { sql } from 'kysely';`, false],
  ['server/http/server.ts', `import { errors } from '../kernel/errors.ts';`, true],
  ['server/kernel/ids.ts', `import { openDatabase } from '../storage/database/database.ts';`, false],
  ['server/kernel/ids.ts', `import { uuidv7 } from 'uuidv7';`, true],
  ['server/elsewhere/thing.ts', ``, false],
  ['server/kernel/string-utils.ts', ``, false],
  ['server/kernel/helpers.ts', ``, false],
  ['server/kernel/common/words.ts', ``, false],
  ['server/areas/soil/field-manager.ts', ``, false],
  ['server/areas/soil/base-field.ts', ``, false],
  ['server/areas/soil/FieldRows.ts', ``, false],
  ['server/models/chat.ts', `import { createOutgoing } from '../outgoing/index.ts';`, true],
  ['server/models/chat.ts', `import { request } from 'undici';`, false],
  ['server/models/chat.ts', `const answer = await fetch(url);`, false],
  ['server/models/chat.ts', `const answer = await globalThis.fetch(url);`, false],
  ['server/models/chat.ts', `const answer = await outgoing.fetch(url);`, true],
  ['server/models/chat.ts', `new WebSocket(url);`, false],
  ['server/models/chat.ts', `import { createEngine } from '../engine/index.ts';`, false],
  ['server/models/chat.ts', `import { request } from 'node:https';`, false],
  ['server/connectors/sql.ts', `import { connect } from 'node:net';`, false],
  ['server/connectors/sql.ts', `import net from 'node:net';`, false],
  ['server/connectors/sql.ts', `import * as tls from 'node:tls';`, false],
  ['server/connectors/sql.ts', `import { isIP } from 'node:net';`, true],
  ['server/connectors/sql.ts', `import type { Socket } from 'node:net';`, true],
  ['server/connectors/sql.ts', `import { lookup } from 'node:dns/promises';`, false],
  ['server/kernel/ids.ts', `const answer = await fetch('https://example.com');`, false],
  ['server/outgoing/guarded-fetch.ts', `import { request } from 'undici';`, true],
  ['server/outgoing/guarded-socket.ts', `import { connect } from 'node:tls';`, true],
  ['server/outgoing/guarded-fetch.ts', `import { findSecret } from '../secrets/index.ts';`, false],
  ['server/secrets/secrets.ts', `import { createModels } from '../models/index.ts';`, false],
  ['server/areas/rag/knowledge-bases.ts', ``, true],
  ['server/storage/database/database.ts', ``, true],
];

for (const [path, source, allowed] of edges) {
  test(`the map ${allowed ? 'allows' : 'refuses'} ${path}: ${source.replaceAll('\n', ' ') || 'the name'}`, () => {
    assert.equal(findViolations(map, new Map([[path, source]])).length > 0, !allowed);
  });
}

test('circles of files are found, of types as well', () => {
  const circle = (types: string) =>
    findViolations(
      map,
      new Map([
        ['server/kernel/a.ts', `import { b } from './b.ts';`],
        ['server/kernel/b.ts', `import { c } from './c.ts';`],
        ['server/kernel/c.ts', `import ${types}{ a } from './a.ts';`],
      ]),
    );
  const found = ['circle: server/kernel/a.ts → server/kernel/b.ts → server/kernel/c.ts → server/kernel/a.ts'];
  assert.deepEqual(circle(''), found);
  assert.deepEqual(circle('type '), found);
});

test('an exported type name means one thing', () => {
  const paths = new Map<string, string[]>();
  for (const path of globSync('server/**/*.ts').filter((path) => !path.endsWith('.test.ts'))) {
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/^export (?:type|interface|class) (\w+)/gm))
      paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  assert.ok(paths.size > 100);
  assert.deepEqual(
    [...paths].filter(([, declared]) => declared.length > 1),
    [],
  );
});
