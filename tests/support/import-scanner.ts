/** One import: its target (undefined: a path passed at run time), and whether it imports only types. */
export type Import = {
  specifier: string | undefined;
  typeOnly: boolean;
  /** The imported names without types; undefined if it can be anything. */
  names?: string[] | undefined;
};

const statement =
  /^(?:import|export)\s+(?<type>type\s+)?(?:(?<names>[\w$*{},\s]+?)\s*from\s*)?(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>/gm;
const expression =
  /\b(?:import|require|import\.meta\.resolve)\(\s*(?:(?<quote>['"`])(?<specifier>[^'"`$\n]+)\k<quote>\s*[,)])?/g;
const worker = /\bnew URL\(\s*(['"`])(?<specifier>[^'"`$:\n]+\.[cm]?[jt]s)\1\s*,\s*import\.meta\.url/g;

/**
 * Every import of a module: statements, re-exports, `import()`, and the files of worker threads (`new URL(…,
 * import.meta.url)`). Throws on a statement that it can't parse, so that no import is missed.
 */
export function importsOf(source: string): Import[] {
  const readable = [...withoutComments(source).matchAll(statement)].length;
  const begun =
    withoutComments(source).match(/^import\b(?!\s*[(.])|^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from\b)/gm)?.length ??
    0;
  if (begun > readable) throw new Error(`${begun} import statements begin here, ${readable} can be read`);
  return readableImportsOf(source);
}

/** The same, without the guarantee that none is missed. */
export function readableImportsOf(source: string): Import[] {
  const code = withoutComments(source);
  const imports: Import[] = [];
  for (const { groups } of code.matchAll(statement)) {
    // `import { type A }` still loads the module; `import type` doesn't.
    imports.push({
      specifier: groups?.['specifier'] ?? '',
      typeOnly: groups?.['type'] !== undefined,
      names: namesOf(groups?.['names']),
    });
  }
  for (const { groups } of code.matchAll(expression)) {
    imports.push({ specifier: groups?.['specifier'], typeOnly: false });
  }
  for (const { groups } of code.matchAll(worker)) {
    // An address without ./ is relative to the module, too.
    const address = groups?.['specifier'] ?? '';
    imports.push({ specifier: address.startsWith('.') ? address : `./${address}`, typeOnly: false });
  }
  return imports;
}

/** `{ a, type B, c as d }` → a, c; undefined for everything else. */
function namesOf(list: string | undefined): string[] | undefined {
  const inBraces = /^\{([^}]*)\}$/.exec(list?.trim() ?? '')?.[1];
  return inBraces
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/)[0] ?? name);
}

/** Removes comments on their own lines; comments after code stay and can at worst add an import. */
export function withoutComments(source: string): string {
  return source.replace(/^[ \t]*\/\*[^]*?\*\//gm, '').replace(/^[ \t]*\/\/.*$/gm, '');
}
