// The rows of the program, of the areas and of the tasks that areas share.
import { readFileSync } from 'node:fs';
import { tablesIn } from '../../scripts/registries.ts';
import type { Row } from '../support/import-rules.ts';
import { belowAreas, belowTasks, storage } from './layers.ts';

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

export const areaRows: readonly Row[] = [
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
];
