import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import { importsOf, withoutComments, type Import } from './import-scanner.ts';

/**
 * One row of the map. A file belongs to the first row whose pattern matches. `imports` and `types` name rows; within an
 * area they mean the same area. `packages` are npm packages, `type x` for only the types of x.
 */
export type Row = {
  name: string;
  files: readonly string[];
  imports: readonly string[];
  types?: readonly string[];
  packages: readonly string[];
  /** May use Node's built-in modules (default: yes). */
  builtins?: boolean;
  /** Files that import a module whose path is passed to them. */
  loaders?: readonly string[];
  /** May build SQL (default: no). */
  sql?: boolean;
  /** May open connections (default: no). */
  network?: boolean;
  /** Tables that its SQL may name (default: all): its own, and those it joins. */
  tables?: readonly string[];
};

type Edge = { from: string; to: string; typeOnly: boolean };

const forbiddenNames =
  /^(?:utils?|helpers?|common|managers?|base|impl)$|-(?:utils?|helpers?|managers?|impl)$|^(?:base|common)-/;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const sqlBuilding =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|withRecursive)\(|\bsql(?:<[^`]*>)?`/;

const networkModules = /^node:(?:http|https|http2|net|tls|dgram|dns|dns\/promises|inspector)$/;
/** Exports of those modules that open nothing. */
const harmless = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'STATUS_CODES']);
const networkGlobals = /(?<![.\w$])(?:globalThis\.)?(?:fetch\(|new (?:WebSocket|EventSource)\()/;

/** Whether an import includes exports that open connections. */
function opensConnections({ specifier = '', typeOnly, names }: Import): boolean {
  return (
    !typeOnly && networkModules.test(specifier) && (names === undefined || names.some((name) => !harmless.has(name)))
  );
}
const tableOfBuilder =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|innerJoin|leftJoin|rightJoin|fullJoin)\(\s*\[?\s*['"`](\w+)/g;
const tableOfSql = /\b(?:from|join|into|update)\s+"?(\w+)/gi;

/** Everything in `files` (path → source) that the map does not allow, as sentences. */
export function findViolations(map: readonly Row[], files: ReadonlyMap<string, string>): string[] {
  const violations: string[] = [];
  const edges: Edge[] = [];
  for (const [path, source] of files) {
    violations.push(...nameViolations(path));
    const row = rowOf(map, path);
    if (row === undefined) {
      violations.push(`${path} has no place in the map`);
      continue;
    }
    if (row.sql !== true && sqlBuilding.test(withoutComments(source)))
      violations.push(`${path} builds SQL (${row.name})`);
    if (row.network !== true && networkGlobals.test(withoutComments(source)))
      violations.push(`${path} calls out (${row.name})`);
    violations.push(...tableViolations(map, row, path, source));
    let imports: Import[];
    try {
      imports = importsOf(source);
    } catch (error) {
      violations.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    for (const each of imports) {
      const { specifier, typeOnly } = each;
      if (row.network !== true && opensConnections(each)) violations.push(`${path} → ${specifier} (${row.name})`);
      if (specifier === undefined) {
        if (row.loaders?.includes(path) !== true) violations.push(`${path} loads a module that the map can't see`);
      } else if (specifier.startsWith('.')) {
        const edge = { from: path, to: posix.join(posix.dirname(path), specifier), typeOnly };
        edges.push(edge);
        if (!isAllowed(map, row, edge))
          violations.push(`${path} → ${edge.to}${typeOnly ? ' (types)' : ''} (${row.name})`);
      } else if (!isPackageAllowed(row, specifier, typeOnly)) {
        violations.push(`${path} → ${specifier}${typeOnly ? ' (types)' : ''} (${row.name})`);
      }
    }
  }
  return [...violations, ...cycles(edges), ...folderCycles(edges)];
}

/** Other folders' tables that a file's SQL names. */
function tableViolations(map: readonly Row[], { tables: own, name }: Row, path: string, source: string): string[] {
  if (own === undefined) return [];
  const known = new Set(map.flatMap(({ tables = [] }) => tables));
  const code = withoutComments(source);
  const named = [...code.matchAll(tableOfBuilder), ...code.matchAll(tableOfSql)].map(([, table = '']) => table);
  return [...new Set(named)]
    .filter((table) => known.has(table) && !own.includes(table))
    .map((table) => `${path} names the table ${table} (${name})`);
}

function nameViolations(path: string): string[] {
  return path
    .replace(/\.(?:d\.ts|config\.ts|tsx?)$/, '')
    .split('/')
    .flatMap((word) => {
      if (forbiddenNames.test(word)) return [`${path}: "${word}" says nothing about what is inside`];
      return kebabCase.test(word) ? [] : [`${path}: "${word}" is not in kebab-case`];
    });
}

function rowOf(map: readonly Row[], path: string): Row | undefined {
  return map.find(({ files }) => files.some((pattern) => posix.matchesGlob(path, pattern)));
}

/** `server/areas/rag` for a file of that area, else the top-level folder. */
function ownerOf(path: string): string {
  return /^server\/(?:areas\/)?[^/]+/.exec(path)?.[0] ?? path;
}

function isAllowed(map: readonly Row[], row: Row, { from, to, typeOnly }: Edge): boolean {
  const target = rowOf(map, to);
  if (target === undefined) return false;
  const areaOf = (path: string) => (path.startsWith('server/areas/') ? ownerOf(path) : undefined);
  const [fromArea, toArea] = [areaOf(from), areaOf(to)];
  if (fromArea !== undefined && toArea !== undefined && fromArea !== toArea)
    return typeOnly && to === `${toArea}/index.ts`;
  // Queries may be imported only within their folder.
  if (target.name === 'queries' && ownerOf(from) !== ownerOf(to)) return false;
  if (target === row) return true;
  return row.imports.includes(target.name) || (typeOnly && (row.types ?? []).includes(target.name));
}

function isPackageAllowed(row: Row, specifier: string, typeOnly: boolean): boolean {
  if (specifier.startsWith('node:') || isBuiltin(specifier))
    return row.builtins !== false && specifier.startsWith('node:');
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return row.packages.includes(name) || (typeOnly && row.packages.includes(`type ${name}`));
}

/**
 * Cycles of folders, including type imports. A folder and its subfolders may import each other: shared code is in the outer one.
 */
function folderCycles(edges: readonly Edge[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const [one, other] = [posix.dirname(from), posix.dirname(to)];
    if (`${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)) continue;
    next.set(one, (next.get(one) ?? new Set()).add(other));
  }
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = [...(next.get(start) ?? [])];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      waiting.push(...(next.get(folder) ?? []));
    }
    return seen;
  };
  const reached = new Map([...next.keys()].map((folder) => [folder, reach(folder)]));
  const circles = new Set<string>();
  for (const [folder, others] of reached) {
    if (!others.has(folder)) continue;
    const all = [
      folder,
      ...[...others].filter((other) => other !== folder && reached.get(other)?.has(folder) === true),
    ];
    circles.add(all.toSorted().join(', '));
  }
  return [...circles].map((folders) => `circle of folders: ${folders}`);
}

/** Cycles of files, including type imports: files that need each other can only be understood together. */
function cycles(edges: readonly Edge[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) found.push(`circle: ${[...trail.slice(start), path].join(' → ')}`);
    if (start !== -1 || finished.has(path)) return;
    for (const target of next.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}
