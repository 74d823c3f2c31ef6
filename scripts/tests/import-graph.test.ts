import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph, readGraph } from './import-graph.ts';

/** Path → text, of modules and other files. */
function graphOf(files: Record<string, string>) {
  const modules = Object.entries(files).filter(([path]) => /\.(?:tsx?|mjs)$/.test(path));
  return createGraph(new Map(modules), Object.keys(files));
}

function reached(files: Record<string, string>, ...changed: string[]): Record<string, number> | string {
  const reach = graphOf(files).reachOf(changed);
  return 'all' in reach ? reach.all : Object.fromEntries(reach.files);
}

test('a change reaches the tests that import it, the nearest first', () => {
  const files = {
    'server/a.ts': '',
    'server/a.test.ts': `import { a } from './a.ts';`,
    'server/b.ts': `export { a } from './a.ts';`,
    'server/b.test.ts': `const { b } = await import('./b.ts');`,
    'server/c.test.ts': `import { strict } from 'node:assert';`,
  };
  assert.deepEqual(reached(files, 'server/a.ts'), { 'server/a.test.ts': 1, 'server/b.test.ts': 2 });
  assert.deepEqual(reached(files, 'server/b.test.ts'), { 'server/b.test.ts': 0 });
});

test('a module whose types alone are imported reaches nobody by that', () => {
  const files = {
    'server/a.ts': '',
    'server/a.test.ts': `import { a } from './a.ts';`,
    'server/b.test.ts': `import type { A } from './a.ts';`,
  };
  assert.deepEqual(reached(files, 'server/a.ts'), { 'server/a.test.ts': 1 });
});

test('a module that a thread or a process starts with is reached from whoever starts it', () => {
  const files = {
    'server/a-thread.ts': `import './b.ts';`,
    'server/b.ts': '',
    'server/pool.ts': `builtModule(new URL('a-thread.ts', import.meta.url));`,
    'server/pool.test.ts': `import './pool.ts';`,
  };
  assert.deepEqual(reached(files, 'server/b.ts'), { 'server/pool.test.ts': 3 });
});

test('files and folders that a test reads reach it', () => {
  const files = {
    'deploy/compose.yaml': '',
    'examples/one/data.csv': '',
    'tests/compose.test.ts': `readFileSync('deploy/compose.yaml');`,
    'tests/examples.test.ts': `globSync('examples/**/*.csv');`,
  };
  assert.deepEqual(reached(files, 'deploy/compose.yaml'), { 'tests/compose.test.ts': 1 });
  assert.deepEqual(reached(files, 'examples/one/data.csv'), { 'tests/examples.test.ts': 1 });
});

test('through the module that puts all areas together, a part reaches the tests that name it', () => {
  const files = {
    'server/app.ts': `import './areas/rag/rag.ts';\nimport './areas/runs/runs.ts';`,
    'server/areas/rag/rag.ts': '',
    'server/areas/runs/runs.ts': '',
    'tests/one.test.ts': `import '../server/app.ts';\nfetch('/rag/bases');`,
    'tests/two.test.ts': `import '../server/app.ts';\nfetch('/runs');`,
  };
  assert.deepEqual(reached(files, 'server/areas/rag/rag.ts'), { 'tests/one.test.ts': 2 });
  assert.deepEqual(reached(files, 'server/app.ts'), { 'tests/one.test.ts': 1, 'tests/two.test.ts': 1 });
});

test('a registry that is made from its folder reaches the tests over all parts', () => {
  const files = {
    'server/operators/registry.ts': `import './one.ts';`,
    'server/operators/one.ts': '',
    'server/engine/engine.ts': `import '../operators/registry.ts';`,
    'server/engine/engine.test.ts': `import './engine.ts';`,
    'tests/all.test.ts': `import '../server/operators/registry.ts';`,
  };
  assert.deepEqual(reached(files, 'server/operators/registry.ts'), { 'tests/all.test.ts': 1 });
});

test('a module of tests that names many areas does not name them for its users, but addresses of pages do', () => {
  const areas = ['rag', 'runs', 'auth', 'data-cleaning', 'operator-market'];
  const files = {
    'server/app.ts': areas.map((area) => `import './areas/${area}/index.ts';`).join('\n'),
    ...Object.fromEntries(areas.map((area) => [`server/areas/${area}/index.ts`, ''])),
    'web/areas/operator-market/routes.tsx': `createRoute({ path: '/market' })`,
    'server/operators/registry.ts': '',
    'tests/support/places.ts': areas.map((area) => `fill('/${area}');`).join('\n'),
    'tests/one.test.ts': `import '../server/app.ts';\nimport './support/places.ts';\nvisit('/runs');`,
    'tests/two.test.ts': `import '../server/app.ts';\nimport '../server/market/registry.ts';\nvisit('/market');`,
    'tests/three.test.ts': `import '../server/app.ts';\nimport './market/of-tests.ts';`,
  };
  assert.deepEqual(Object.keys(reached(files, 'server/areas/rag/index.ts')), ['tests/two.test.ts']);
  assert.deepEqual(Object.keys(reached(files, 'server/areas/runs/index.ts')), [
    'tests/one.test.ts',
    'tests/two.test.ts',
  ]);
  assert.deepEqual(Object.keys(reached(files, 'server/areas/operator-market/index.ts')), ['tests/two.test.ts']);
});

test('all tests run if the graph cannot say, or if they run with the change', () => {
  const files = { 'server/a.test.ts': '', 'server/data.bin': '', 'package.json': '{}', 'docs/page.md': '' };
  assert.equal(reached(files, 'server/data.bin'), 'it is unknown what uses server/data.bin');
  assert.equal(reached(files, 'package.json'), 'every test depends on package.json');
  assert.deepEqual(reached(files, 'docs/page.md'), {});
  assert.deepEqual(reached(files, 'server/gone.ts'), {});
});

test('the graph of this checkout leads from parts to their tests', () => {
  const graph = readGraph();
  const filesOf = (path: string) => {
    const reach = graph.reachOf([path]);
    assert.ok('files' in reach, 'all' in reach ? reach.all : '');
    return [...reach.files.keys()];
  };
  assert.ok(filesOf('server/areas/rag/search/search.ts').includes('server/areas/rag/search/search.test.ts'));
  assert.ok(filesOf('web/areas/rag/routes.tsx').some((file) => file.startsWith('tests/web/')));
  assert.ok(!filesOf('server/areas/rag/search/search.ts').includes('scripts/install-lock.test.ts'));
});
