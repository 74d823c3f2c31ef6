import { fileNameOf, fileTypeOf } from '../../../kernel/file-path.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { Database } from '../../../storage/database/database.ts';
import { compressedFileTypes, contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat, isWorkbookType, tableFileTypes, workbookFileTypes } from '../../../tables/formats.ts';
import { queryProblems, type TableReference } from '../../../tables/queries/index.ts';
import { listFilesAt, listSourceFiles, type SourceFileRow } from '../queries/source-files.ts';
import type { TableFiles } from '../views/table-files.ts';
import { sqlProblem } from './sql-problem.ts';

/** Resolves the table names of statements to files of a version. */
export type TableNames = {
  /** The file of each reference, in order, and its sheet if it names one of a workbook; throws SQL_INVALID. */
  resolve(at: Version, references: readonly TableReference[]): Promise<NamedTable[]>;
  /** The tables of a version in path order, with their unambiguous names. */
  list(at: Version): Promise<(NamedTable & { names: string[] })[]>;
};

/** Without `sheet`, a workbook means its first sheet that is not hidden. */
type NamedTable = { file: SourceFileRow; sheet?: string };

type Version = { datasetId: string; version: number };

/** The schema in which tables are named by the paths of their files. */
const filesSchema = 'files';
/** Most tables with short names; in a larger dataset they are named by their paths only. */
const maxNamedTables = 10_000;
const tablesAtOnce = 1_000;

const isTable = (path: string): boolean => {
  const format = formatOf(fileTypeOf(contentPathOf(path)));
  return isRowFormat(format) || format === 'parquet' || isWorkbookType(fileTypeOf(path));
};
const readTypes = [
  ...tableFileTypes.filter((type) => isTable(`x.${type}`)),
  ...workbookFileTypes,
  ...compressedFileTypes,
];

export function createTableNames({ db, tables }: { db: Database; tables: Pick<TableFiles, 'sheetsOf'> }): TableNames {
  async function listTables({ datasetId, version }: Version): Promise<SourceFileRow[] | undefined> {
    const found: SourceFileRow[] = [];
    for (let after = ''; ;) {
      const selection = { datasetId, version, prefix: '', fileTypes: readTypes };
      const rows = await listSourceFiles(db.scan, selection, after, tablesAtOnce);
      found.push(...rows.filter(({ path }) => isTable(path)));
      const last = rows.at(-1);
      if (last === undefined) return found;
      if (found.length > maxNamedTables) return undefined;
      after = last.path;
    }
  }

  return {
    async resolve(at, references) {
      const paths = [...new Set(references.flatMap(({ name }) => [name, sheetNameOf(name)?.path ?? name]))];
      const exact = new Map((await listFilesAt(db.read, at, paths)).map((row) => [row.path, row]));
      let byName: Map<string, SourceFileRow[]> | undefined;
      const resolved: NamedTable[] = [];
      for (const reference of references) {
        const { schema, name } = reference;
        if (schema !== '' && schema.toLowerCase() !== filesSchema) throw unknown(reference);
        const known = exact.get(name);
        if (known !== undefined) {
          resolved.push({ file: known });
          continue;
        }
        const part = sheetNameOf(name);
        const workbook = part === undefined ? undefined : exact.get(part.path);
        if (part !== undefined && workbook !== undefined) {
          resolved.push({ file: workbook, sheet: part.sheet });
          continue;
        }
        const asked = part?.path ?? name;
        byName ??= namesOf((await listTables(at)) ?? []);
        // A name in other case matches if it is unambiguous.
        const found = byName.get(asked) ?? byName.get(asked.toLowerCase()) ?? [];
        const [only] = found;
        if (only === undefined || (schema !== '' && only.path.toLowerCase() !== asked.toLowerCase()))
          throw unknown(reference);
        if (found.length > 1) {
          const some = found.slice(0, 3).map(({ path }) => quoted(path));
          throw sqlProblem(
            queryProblems.QUERY_TABLES_ALIKE.reason({
              name,
              tables: `${some.join(', ')}${found.length > 3 ? ' …' : ''}`,
            }),
            reference.place,
          );
        }
        resolved.push({ file: only, ...(part === undefined ? {} : { sheet: part.sheet }) });
      }
      checkCase(references, resolved);
      return resolved;
    },

    async list(at) {
      const files = await listTables(at);
      if (files === undefined)
        throw invalid('version', parameterProblems.HAS_MANY_TABLES.reason({ limit: maxNamedTables }));
      const byName = namesOf(files);
      const listed: (NamedTable & { names: string[] })[] = [];
      for (const file of files) {
        const short = shortNamesOf(file.path).filter((name) => byName.get(name)?.length === 1);
        const sheets = await tables.sheetsOf(file);
        const first = sheets?.find(({ isHidden }) => !isHidden) ?? sheets?.[0];
        if (sheets === undefined || sheets.length < 2) listed.push({ file, names: [quoted(file.path), ...short] });
        else
          for (const { name: sheet } of sheets) {
            const own = sheet === first?.name ? [quoted(file.path), ...short] : [];
            const [fileName] = short;
            const named = fileName === undefined ? [] : [`${fileName}/${sheet}`];
            listed.push({ file, sheet, names: [quoted(`${file.path}/${sheet}`), ...named, ...own] });
          }
      }
      return listed;
    },
  };
}

function unknown({ schema, name, place }: TableReference): Error {
  const asked = schema === '' ? name : `${schema}.${name}`;
  return sqlProblem(queryProblems.QUERY_NO_TABLE_IN_VERSION.reason({ table: asked, schema: filesSchema }), place);
}

/** One query can't use names that differ only in case: SQL treats them as equal. */
function checkCase(references: readonly TableReference[], tables: readonly NamedTable[]): void {
  const paths = new Map<string, string>();
  for (const [index, { schema, name, place }] of references.entries()) {
    const key = `${schema}.${name}`.toLowerCase();
    const { file, sheet } = tables[index] ?? {};
    const path = `${file?.path ?? ''}${sheet === undefined ? '' : `/${sheet}`}`;
    const known = paths.get(key);
    if (known !== undefined && known !== path)
      throw sqlProblem(queryProblems.QUERY_TABLES_DIFFER_IN_CASE.reason({ one: known, other: path }), place);
    paths.set(key, path);
  }
}

/** A sheet is named below its workbook, where no file can be: `book.xlsx/Sheet 1`. */
function sheetNameOf(name: string): { path: string; sheet: string } | undefined {
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const [path, sheet] = [name.slice(0, at), name.slice(at + 1)];
    if (sheet !== '' && isWorkbookType(fileTypeOf(path))) return { path, sheet };
  }
  return undefined;
}

/** How a statement names a file by its path. */
function quoted(path: string): string {
  return `${filesSchema}."${path.replaceAll('"', '""')}"`;
}

/** The file name, the same without its extension, and the latter as an identifier that needs no quotes. */
function shortNamesOf(path: string): string[] {
  const fileName = fileNameOf(path);
  const stem = contentPathOf(fileName).replace(/\.[^.]+$/, '') || fileName;
  const word = stem.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})/u, '_');
  return [...new Set([fileName, stem, word])];
}

function namesOf(files: readonly SourceFileRow[]): Map<string, SourceFileRow[]> {
  const byName = new Map<string, SourceFileRow[]>();
  for (const file of files) {
    const names = new Set([file.path, ...shortNamesOf(file.path)].flatMap((name) => [name, name.toLowerCase()]));
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  return byName;
}
