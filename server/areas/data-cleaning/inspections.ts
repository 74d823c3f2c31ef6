import { codedReason } from '../../kernel/sentences/index.ts';
import { fieldsOf, kindOf, type Engine, type InputKind, type InputLook } from '../../engine/index.ts';
import { fileTypeOf } from '../../kernel/file-path.ts';
import { matchesGlob } from '../../kernel/path-globs.ts';
import type { Database } from '../../storage/database/database.ts';
import { contentPathOf } from '../../tables/compression/compressed-names.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import type { Inspection, InspectionRequest } from './schemas/inspections.ts';
import { inputOf } from './source-files.ts';
import { currentOf, firstFiles, nameSources, walkSources, type Source } from './sources.ts';
import { namedEncoding, parseInput, textFieldsOf } from './task-input.ts';

/** Reports how a task would read the files of a dataset, before the task exists. */
export type Inspections = {
  /** Writes nothing. Throws INVALID_PARAMETER, SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND. */
  inspect(request: InspectionRequest): Promise<Inspection>;
};

type FileTypeCount = { fileType: string; files: number; sizeBytes: number };

/** Maximum number of files inspected: each costs a read, of up to 1 MiB for a table. */
const inspectedTables = 100;
const inspectedTexts = 200;

export function createInspections({
  db,
  datasets,
  engine,
}: {
  db: Database;
  datasets: DatasetAccess;
  engine: Pick<Engine, 'inspect'>;
}): Inspections {
  /** Number and size of the files of all sources by type, ordered by type. */
  async function countFiles(sources: readonly Source[], fileTypes: readonly string[]): Promise<FileTypeCount[]> {
    const sums = new Map<string, FileTypeCount>();
    for (const { folder: _folder, ...source } of sources) {
      for (const { fileType, files, sizeBytes } of await datasets.countFiles(db.scan, { ...source, fileTypes })) {
        const sum = sums.get(fileType) ?? { fileType, files: 0, sizeBytes: 0 };
        sums.set(fileType, { fileType, files: sum.files + files, sizeBytes: sum.sizeBytes + sizeBytes });
      }
    }
    return [...sums.keys()].toSorted().flatMap((fileType) => sums.get(fileType) ?? []);
  }

  return {
    async inspect({ input: given = {}, ...request }) {
      const input = parseInput(given);
      const sources = currentOf(await nameSources((id) => datasets.find(db.read, id), request, input));
      const counted = await countFiles(sources, input.fileTypes);
      const fileTypes = counted.map((type) => ({ ...type, kind: kindOf(type.fileType) }));

      /** Looks at the first files of some kinds; also returns how many files were not looked at. */
      async function look(
        kinds: readonly InputKind[],
        limit: number,
      ): Promise<{ seen: { file: SourceFile; found: InputLook }[]; unchecked: number }> {
        const wanted = fileTypes.filter(({ kind }) => kinds.includes(kind));
        if (wanted.length === 0) return { seen: [], unchecked: 0 };
        const total = wanted.reduce((sum, { files }) => sum + files, 0);
        const selection = { fileTypes: wanted.map(({ fileType }) => fileType) };
        const seen: { file: SourceFile; found: InputLook }[] = [];
        for (const source of sources) {
          const files = walkSources(datasets, db.scan, [source], selection, limit);
          for (const file of await firstFiles(files, limit)) {
            seen.push({ file, found: await engine.inspect(inputOf(file), namedEncoding(input)) });
          }
        }
        return { seen, unchecked: total - seen.length };
      }

      const tables = await look(['TABLE'], inspectedTables);
      const texts = await look(['TEXT', 'DOCUMENT'], inspectedTexts);
      const packed = await look(['COMPRESSED'], inspectedTables);
      for (const one of packed.seen) {
        const isTable = kindOf(fileTypeOf(contentPathOf(one.file.path))) === 'TABLE';
        (isTable ? tables : texts).seen.push(one);
      }
      const choice = textFieldsOf(input);
      return {
        sourceVersion: sources[0]?.version ?? 0,
        folders: sources.length === 1 ? [] : sources.map(({ folder }) => folder),
        fileTypes,
        tables: tables.seen.map(({ file: { path, sizeBytes }, found }) => {
          const fields = fieldsOf(choice, path) ?? (found.guess === null ? null : [found.guess]);
          const isExcluded = input.exclude.some((pattern) => matchesGlob(path, pattern));
          return {
            filePath: path,
            sizeBytes,
            ...found,
            ...codedReason('problem', found.problem),
            fields: fields === null ? null : [...fields],
            isExcluded,
          };
        }),
        uncheckedTables: tables.unchecked + packed.unchecked,
        texts: texts.seen
          .filter(({ found: { certainty, problem } }) => problem !== null || isGuess(certainty))
          .map(({ file: { path: filePath, sizeBytes }, found: { encoding, certainty, problem } }) => ({
            filePath,
            sizeBytes,
            encoding,
            certainty,
            ...codedReason('problem', problem),
          })),
        uncheckedTexts: texts.unchecked,
      };
    },
  };
}

function isGuess(certainty: InputLook['certainty']): boolean {
  return certainty === 'LIKELY' || certainty === 'UNSURE';
}
