// The rows of models, storage and HTTP, and of what all others stand on.
import type { Row } from '../support/import-rules.ts';
import { storage, ways } from './layers.ts';

export const storageRows: readonly Row[] = [
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
  {
    name: 'kernel',
    files: ['server/kernel/**'],
    imports: [],
    // jsonrepair: replies of models that are almost JSON.
    packages: ['typebox', 'uuidv7', '@node-rs/crc32', 'jsonrepair'],
  },
];
