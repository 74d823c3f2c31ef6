// The map of the web application: which folder may import which, and which packages.
import type { Row } from '../support/import-rules.ts';

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
    files: ['web/main.tsx', 'web/application.tsx', 'web/areas.ts', 'web/router.tsx'],
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
    // An area with few routes has them here.
    packages: ['@tabler/icons-react', router],
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
export const webMap: readonly Row[] = webRows.map((row) => ({ ...row, builtins: false, network: true }));
