import { fieldsOf, leadsToSeveralTexts, type Engine } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { fileTypeOf } from '../../kernel/file-path.ts';
import { matchesGlob } from '../../kernel/path-globs.ts';
import type { Operator } from '../../operators/index.ts';
import type { Db } from '../../storage/database/database.ts';
import { compressedFileTypes } from '../../tables/compression/compressed-names.ts';
import { formatOf, tableFileTypes } from '../../tables/formats.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import type { NewStep } from './schemas/tasks.ts';
import { firstFiles, walkSources, type Source } from './sources.ts';
import { namedEncoding, selectionOf, textFieldsOf } from './task-input.ts';
import type { TaskInput } from './schemas/inputs.ts';

/** Number of tables whose first rows are checked; problems of the others are reported by the run. */
const checkedTables = 20;

type Looks = Pick<Engine, 'findTextField' | 'findMissingField'>;

/**
 * Checks, for the first tables of each source, that the text can be found: the guessed text column if none is named,
 * and the columns named by path rules. Throws INVALID_PARAMETER for the first table where it can't. Unreadable tables
 * are skipped; the run reports them. Reads files, so don't call it in a transaction.
 */
export async function checkTextColumns(
  { db, datasets, engine }: { db: Db; datasets: DatasetAccess; engine: Looks },
  source: { sources: readonly Source[]; input: TaskInput; mayLackText?: boolean },
): Promise<void> {
  const { sources, input, mayLackText = false } = source;
  const { fileTypes, ...selection } = selectionOf(input);
  const choice = textFieldsOf(input);
  const wanted = [...tableFileTypes, ...compressedFileTypes].filter(
    (type) => fileTypes.length === 0 || fileTypes.includes(type),
  );
  const isNamed = choice.textField !== null && choice.textFields === undefined;
  if (isNamed || wanted.length === 0) return;
  for (const source of sources) {
    const tables = walkSources(datasets, db, [source], { ...selection, fileTypes: wanted }, checkedTables);
    await checkFiles(engine, await firstFiles(tables, checkedTables), { input, mayLackText });
  }
}

async function checkFiles(
  engine: Looks,
  files: readonly SourceFile[],
  { input, mayLackText }: { input: TaskInput; mayLackText: boolean },
): Promise<void> {
  const choice = textFieldsOf(input);
  for (const file of files) {
    // A Parquet file is always read by its text column, whatever the steps write.
    const needsText = !mayLackText || formatOf(fileTypeOf(file.path)) === 'parquet';
    if (fieldsOf(choice, file.path) === null) {
      if (needsText) await checkGuess(engine, file, input);
    } else await checkRule(engine, file, input);
  }
}

async function checkGuess(engine: Looks, file: SourceFile, input: TaskInput): Promise<void> {
  const guess = await engine.findTextField(file, namedEncoding(input));
  if (guess === undefined || guess.ok) return;
  const { path } = file;
  const columns = guess.candidates.join(', ');
  const problem =
    columns === ''
      ? parameterProblems.NEEDS_TEXT_COLUMN.reason({ path })
      : parameterProblems.NEEDS_TEXT_FIELD.reason({ path, columns });
  throw invalid('input.textField', problem);
}

/**
 * Checks that a column named by a rule occurs in the first rows. `textField` applies to all tables, so the run reports
 * where it is missing.
 */
async function checkRule(engine: Looks, file: SourceFile, input: TaskInput): Promise<void> {
  const { textFields: rules = [] } = textFieldsOf(input);
  const at = rules.findIndex(({ files }) => matchesGlob(file.path, files));
  const rule = rules[at];
  if (rule === undefined) return;
  const missing = await engine.findMissingField(file, rule.fields, namedEncoding(input));
  if (missing === undefined) return;
  throw invalid(
    `input.textFields[${at}].fields[${rule.fields.indexOf(missing.field)}]`,
    parameterProblems.NAMES_NO_TEXT.reason({ path: file.path, why: missing.problem }),
  );
}

/** Whether no step reads or writes text, so that tables need no text column. */
export function needNoText(operators: readonly Operator[], steps: readonly Pick<NewStep, 'operatorId'>[]): boolean {
  return steps.every(({ operatorId }) => {
    const operator = operators.find(({ id }) => id === operatorId);
    return operator !== undefined && ![...operator.reads, ...operator.writes].includes('text');
  });
}

/** Refuses splitters for rows with several texts, which can't be split into several rows: throws INVALID_PARAMETER. */
export function checkSplitters(operators: readonly Operator[], steps: readonly NewStep[], input: TaskInput): void {
  const { textField, textFields = [] } = textFieldsOf(input);
  const isSeveral = [...textFields.map(({ fields }) => fields), textField === null ? [] : [textField]].some(
    leadsToSeveralTexts,
  );
  if (!isSeveral) return;
  const at = steps.findIndex(({ operatorId }) => operators.find(({ id }) => id === operatorId)?.kind === 'SPLITTER');
  if (at !== -1) throw invalid(`steps[${at}].operatorId`, parameterProblems.SPLITS_TEXTS.reason({}));
}
