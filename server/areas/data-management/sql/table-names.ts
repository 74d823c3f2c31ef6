import { fileNameOf, fileTypeOf } from '../../../kernel/file-path.ts';
import { invalid } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database/database.ts';
import { contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat, tableFileTypes } from '../../../tables/formats.ts';
import type { TableReference } from '../../../tables/queries/index.ts';
import { listFilesAt, listSourceFiles, type SourceFileRow } from '../queries/source-files.ts';
import { sqlProblem } from './sql-problem.ts';

/** The files of a version by the names that a statement gives them. */
export type TableNames = {
  /** A file for each reference, in their order; throws SQL_INVALID. */
  resolve(at: Version, references: readonly TableReference[]): Promise<SourceFileRow[]>;
  /** The tables of a version in path order, with the names that no other one has. */
  list(at: Version): Promise<{ file: SourceFileRow; names: string[] }[]>;
};

type Version = { datasetId: string; version: number };

/** The schema in which a table has the path of its file. */
const filesSchema = 'files';
/** Tables with short names; in a larger dataset they are named by their paths. */
const maxNamedTables = 10_000;
const tablesAtOnce = 1_000;

const isTable = (path: string): boolean => {
  const format = formatOf(fileTypeOf(contentPathOf(path)));
  return isRowFormat(format) || format === 'parquet';
};
const readTypes = [...tableFileTypes.filter((type) => isTable(`x.${type}`)), 'gz', 'zst'];

export function createTableNames({ db }: { db: Database }): TableNames {
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
      const paths = [...new Set(references.map(({ name }) => name))];
      const exact = new Map((await listFilesAt(db.read, at, paths)).map((row) => [row.path, row]));
      let byName: Map<string, SourceFileRow[]> | undefined;
      const resolved: SourceFileRow[] = [];
      for (const reference of references) {
        const { schema, name } = reference;
        if (schema !== '' && schema.toLowerCase() !== filesSchema) throw unknown(reference);
        const known = exact.get(name);
        if (known !== undefined) {
          resolved.push(known);
          continue;
        }
        byName ??= namesOf((await listTables(at)) ?? []);
        // A name that is written otherwise counts if nothing else is meant by it.
        const found = byName.get(name) ?? byName.get(name.toLowerCase()) ?? [];
        const [only] = found;
        if (only === undefined || (schema !== '' && only.path.toLowerCase() !== name.toLowerCase()))
          throw unknown(reference);
        if (found.length > 1) {
          const some = found.slice(0, 3).map(({ path }) => quoted(path));
          throw sqlProblem(
            `${name} may be ${some.join(', ')}${found.length > 3 ? ' …' : ''}; name it by its path`,
            reference.place,
          );
        }
        resolved.push(only);
      }
      checkCase(references, resolved);
      return resolved;
    },

    async list(at) {
      const files = await listTables(at);
      if (files === undefined)
        throw invalid('version', `has more than ${maxNamedTables} tables; a query can name them by their paths`);
      const byName = namesOf(files);
      return files.map((file) => ({
        file,
        names: [quoted(file.path), ...shortNamesOf(file.path).filter((name) => byName.get(name)?.length === 1)],
      }));
    },
  };
}

function unknown({ schema, name, place }: TableReference): Error {
  const asked = schema === '' ? name : `${schema}.${name}`;
  return sqlProblem(
    `there is no table ${asked}; the tables of this version are its files: ${filesSchema}."PATH"`,
    place,
  );
}

/** One query can't hold names that only case tells apart: its own language does not. */
function checkCase(references: readonly TableReference[], files: readonly SourceFileRow[]): void {
  const paths = new Map<string, string>();
  for (const [index, { schema, name, place }] of references.entries()) {
    const key = `${schema}.${name}`.toLowerCase();
    const path = files[index]?.path ?? '';
    const known = paths.get(key);
    if (known !== undefined && known !== path)
      throw sqlProblem(`${known} and ${path} differ only in case; a query can read one of them`, place);
    paths.set(key, path);
  }
}

/** How a statement names a file by its path. */
function quoted(path: string): string {
  return `${filesSchema}."${path.replaceAll('"', '""')}"`;
}

/** The name of the file, that without its extension, and that as a word that needs no quotes. */
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
