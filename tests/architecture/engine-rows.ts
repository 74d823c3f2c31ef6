// The rows of the engine, and of all that reads and changes samples.
import type { Row } from '../support/import-rules.ts';
import { belowEngine, belowNodes, belowRuns, belowWork, storage } from './layers.ts';

export const engineRows: readonly Row[] = [
  {
    name: 'contents',
    files: ['server/contents/**'],
    // The statistics of a text or picture are computed by operators.
    imports: [
      'orders',
      'language detector',
      'pictures',
      'operators',
      'chunking',
      'tables',
      'encodings',
      'processes',
      'kernel',
    ],
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
    name: 'encodings',
    // Tables, documents and names in archives find out their encoding in one way.
    files: ['server/encodings/**'],
    imports: ['kernel'],
    // chardetng-wasm: Firefox's encoding detector; with it 0.98 of labelled texts of 200 characters are decoded correctly, 0.86 with our
    // own rules.
    packages: ['chardetng-wasm'],
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
    imports: ['html', 'encodings', 'processes', ...storage, 'kernel'],
    // officeparser depends on pdf.js itself, but does not expose the files of that package that it needs.
    // htmlparser2: its tokenizer, a dependency anyway, reads XML block by block and expands none of its own entities.
    packages: ['htmlparser2', 'officeparser', 'pdfjs-dist', 'postal-mime', 'yauzl'],
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
    packages: [],
  },
  {
    name: 'tables',
    files: ['server/tables/**'],
    imports: ['workbooks', 'encodings', 'processes', ...storage, 'kernel'],
    // seek-bzip: bzip2 in JavaScript; the only one on npm that checks the checksums of blocks and streams and reads a file in pieces.
    // apache-arrow: Arrow's own reader, all types except run-end encoding, pure JavaScript, one record batch in memory; lz4-napi: LZ4
    // frames for it, well maintained and prebuilt for all systems (those in JavaScript have been unmaintained since 2016).
    packages: ['@duckdb/node-api', 'apache-arrow', 'lz4-napi', 'seek-bzip'],
  },
];
