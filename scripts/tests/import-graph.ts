// Finds the test files that a change can affect: by what they import, start as a thread or process, or read.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { readableImportsOf } from '../../tests/support/import-scanner.ts';

/** `all` with the reason, if the graph can't tell; else test file → the number of imports between it and the change. */
export type Reach = { all: string } | { files: ReadonlyMap<string, number> };

/**
 * Modules that combine all parts. Nearly every test imports them; through them, a change of one part affects only tests that name the
 * part.
 */
const hubs: readonly { hub: RegExp; part: RegExp }[] = [
  { hub: /^server\/(?:app|foundation|driver-process|stored-data)\.ts$/, part: /^server\/areas\/([^/]+)\// },
  { hub: /^web\/router\.tsx$/, part: /^web\/areas\/([^/]+)\// },
  { hub: /^server\/operators\/registry\.ts$/, part: /^server\/operators\/(?:.+\/)?([^/]+)\.ts$/ },
  { hub: /^server\/connectors\/registry\.ts$/, part: /^server\/connectors\/([^/]+)\.ts$/ },
];
/**
 * Hubs that are made from the files of their folder: a change comes with a change of such a file, which leads to its tests. Of the others,
 * only those over all parts can notice it.
 */
const madeHubs = /^server\/(?:operators|connectors)\/registry\.ts$/;
/** Files that a module reads without naming each. */
const readAsWhole: Readonly<Record<string, RegExp>> = {
  'scripts/web-build.mjs': /^web\//,
  'scripts/server-build.mjs': /^server\//,
  'scripts/python-client/document.ts': /^docs\/api\.json$/,
  'tests/documentation/pages.ts': /\.md$/,
};
/** A test over all routes, pages or operators names none of them. */
const namesAll = /openapi|api\.json|fullPlaces|operators\/index\.ts|registry\.ts/i;
/** All tests depend on these, regardless of their imports. */
const foundations =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|\.npmrc|\.ci\/|runtime\/|scripts\/(?:test|test-build|test-limits|launch|bootstrap|current-build|server-build|package-install|install-lock|child-process)\.|scripts\/tests\/|tests\/support\/(?:databases|template-databases|postgres|tools|process-exit|process-end|followed-promises|test-costs|long-tests|built-threads)\.ts)/;
/** Texts for people; no test needs to read them. */
const prose = /\.(?:md|png|svg)$|^(?:LICENSE|\.github\/|\.editorconfig|\.git)/;

const code = /\.(?:tsx?|mjs)$/;

const isTest = (path: string) => path.endsWith('.test.ts');

export type Graph = { reachOf(changed: readonly string[]): Reach };

/** The graph of this checkout. */
export function readGraph(): Graph {
  const paths = globSync('**/*', { exclude: ['**/node_modules/**', '.git/**'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(posix.relative(process.cwd(), entry.parentPath), entry.name));
  const modules = paths.filter((path) => code.test(path));
  return createGraph(new Map(modules.map((path) => [path, readFileSync(path, 'utf8')])), paths);
}

/** `sources`: path → text of each module; `paths`: all files, including other ones. */
export function createGraph(sources: ReadonlyMap<string, string>, paths: readonly string[]): Graph {
  const importers = new Map<string, Set<string>>();
  const imports = new Map<string, Set<string>>();
  const tree = treeOf(paths);
  for (const [from, source] of sources) {
    const whole = readAsWhole[from];
    const read = whole === undefined ? [] : paths.filter((path) => whole.test(path));
    const targets = new Set([...importedBy(from, source), ...read, ...readBy(from, source, tree)]);
    imports.set(from, targets);
    for (const to of targets) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  }
  const words = createWords(sources, imports);
  return {
    reachOf(changed) {
      const files = new Map<string, number>();
      for (const path of changed) {
        if (foundations.test(path)) return { all: `every test depends on ${path}` };
        const reached = reachedFrom(path, importers, words.names);
        const isKnown = importers.has(path) || prose.test(path) || path.endsWith('.bench.ts');
        // Modules that imported a deleted one have changed as well.
        const isGone = !tree.has(path) && code.test(path);
        if (reached.size === 0 && !isKnown && !isGone) return { all: `it is unknown what uses ${path}` };
        for (const [file, distance] of reached) files.set(file, Math.min(distance, files.get(file) ?? distance));
      }
      return { files };
    },
  };
}

/** Test files that depend on `changed`; `names` returns whether a test names a part. */
function reachedFrom(
  changed: string,
  importers: ReadonlyMap<string, ReadonlySet<string>>,
  names: (test: string, part: string) => boolean,
): Map<string, number> {
  const found = new Map<string, number>();
  const seen = new Set<string>();
  /** Modules to visit; `part` is the part that a test reached from there must name. */
  let border: { path: string; part?: string }[] = [
    madeHubs.test(changed) ? { path: changed, part: 'registry' } : { path: changed },
  ];
  for (let distance = 0; border.length > 0; distance++) {
    const next: typeof border = [];
    for (const { path, part } of border) {
      const key = `${path} ${part ?? ''}`;
      if (seen.has(key) || seen.has(`${path} `)) continue;
      seen.add(key);
      if (isTest(path) && !found.has(path) && (part === undefined || names(path, part))) found.set(path, distance);
      for (const importer of importers.get(path) ?? []) {
        const named = part ?? partOf(importer, path);
        next.push(named === undefined ? { path: importer } : { path: importer, part: named });
      }
    }
    border = next;
  }
  return found;
}

function partOf(hub: string, path: string): string | undefined {
  const wiring = hubs.find((each) => each.hub.test(hub) && each.part.test(path));
  return wiring?.part.exec(path)?.[1];
}

/** Modules that a module loads, or starts threads and processes with, without those of which it imports only types. */
function importedBy(from: string, source: string): string[] {
  const folder = posix.dirname(from);
  const loaded = readableImportsOf(source).flatMap(({ specifier, typeOnly }) =>
    typeOnly || specifier === undefined || !specifier.startsWith('.') ? [] : [specifier],
  );
  const started = [...source.matchAll(/new URL\(\s*[`'"]([\w./-]+\.[cm]?tsx?)[`'"]/g)].map(([, path = '']) => path);
  return [...loaded, ...started].map((path) => posix.join(folder, path));
}

/**
 * Other files, including all files of folders, that a module names in a string: `'deploy/compose.yaml'`, `'server/**'`,
 * `'../../examples/x'`.
 */
function readBy(from: string, source: string, tree: Tree): string[] {
  // The service refers to its own files only by imports.
  if (from.startsWith('server/') && !isTest(from)) return [];
  const literals = [...source.matchAll(/(['"`])((?:\.{0,2}\/)?[\w.@-]+(?:\/[\w.@-]*)*)(?:\1|[*$])/g)].map(
    ([, , text = '']) => text,
  );
  const imported = new Set(readableImportsOf(source).map(({ specifier }) => specifier));
  const named = literals.filter((text) => /[/.]/.test(text) && !imported.has(text));
  const places = new Set(named.flatMap((text) => [posix.normalize(text), posix.join(posix.dirname(from), text)]));
  // A word that happens to be a folder's name does not refer to it.
  const isMeant = (place: string, path: string) =>
    path === place || place.slice(0, -1).includes('/') || place.endsWith('/');
  const found = [...places].flatMap((place) =>
    (tree.get(place.replace(/\/$/, '')) ?? []).filter((path) => isMeant(place, path)),
  );
  return found.filter((path) => path !== from);
}

/** Each file, and the files below each folder. */
type Tree = ReadonlyMap<string, readonly string[]>;

function treeOf(paths: readonly string[]): Tree {
  const tree = new Map<string, string[]>();
  for (const path of paths)
    for (let place = path; place !== '.'; place = posix.dirname(place)) {
      const known = tree.get(place);
      if (known === undefined) tree.set(place, [path]);
      else known.push(path);
    }
  return tree;
}

/** A module that names this many areas counts as naming none: it fills or starts whatever its caller requests. */
const manyAreas = 4;

/** Looks up words in tests, including the test modules that they import. */
function createWords(sources: ReadonlyMap<string, string>, imports: ReadonlyMap<string, ReadonlySet<string>>) {
  const found = [...sources.keys()].flatMap((path) => /^server\/areas\/([^/]+)\//.exec(path)?.[1] ?? []);
  const areas = [...new Set(found)];
  const texts = new Map<string, string>();
  const pages = new Map<string, RegExp>();
  const broad = new Map<string, boolean>();
  const namesMany = (path: string): boolean => {
    const known = broad.get(path);
    if (known !== undefined) return known;
    const named = areas.filter((area) => wordsOf(area).test(sources.get(path) ?? ''));
    broad.set(path, named.length >= manyAreas);
    return named.length >= manyAreas;
  };
  const textOf = (test: string): string => {
    const known = texts.get(test);
    if (known !== undefined) return known;
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path) || !(path === test || /^(?:tests|scripts)\//.test(path))) return;
      seen.add(path);
      for (const target of imports.get(path) ?? []) visit(target);
    };
    visit(test);
    const telling = [...seen].filter((path) => path === test || !namesMany(path));
    const text = telling.map((path) => `${path}\n${sources.get(path) ?? ''}`).join('\n');
    texts.set(test, text);
    return text;
  };
  /** The name of a part, and the addresses of its pages. */
  const wordsOf = (part: string): RegExp => {
    const known = pages.get(part);
    if (known !== undefined) return known;
    const routes = sources.get(`web/areas/${part}/routes.tsx`) ?? '';
    const addresses = new Set([...routes.matchAll(/path: '\/([a-z-]+)/g)].map(([, word = '']) => word));
    // The name may be inside a file's path; an address starts a string, or follows the base path of the API.
    const words = [`(?<![\\w-])${part}`, ...[...addresses].map((address) => `(?:['"\`}]|/v1)/${address}`)];
    const pattern = new RegExp(`(?:${words.join('|')})(?![\\w-])`);
    pages.set(part, pattern);
    return pattern;
  };
  return {
    names(test: string, part: string): boolean {
      return namesAll.test(sources.get(test) ?? '') || wordsOf(part).test(textOf(test));
    },
  };
}
