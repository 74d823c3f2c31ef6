import { isDocumentSkipped, kindOf } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { fileTypeOf } from '../../kernel/file-path.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { parseParams, type Operator } from '../../operators/index.ts';
import type { Db } from '../../storage/database/database.ts';
import { contentPathOf } from '../../tables/compression/compressed-names.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { NewStep } from './schemas/tasks.ts';
import { firstFiles, walkSources, type Source } from './sources.ts';
import { selectionOf, textFieldsOf } from './task-input.ts';
import type { TaskInput } from './schemas/inputs.ts';

/** Maximum number of compressed files checked: only their names show what they contain. */
const compressedFiles = 1000;

/**
 * Refuses steps that write a column while documents stay documents: every document would fail, having no columns.
 * Throws INVALID_PARAMETER with the first document of the sources.
 */
export async function checkColumnsOfDocuments(
  { db, datasets }: { db: Db; datasets: Pick<DatasetAccess, 'countFiles' | 'walkFiles'> },
  { operators, steps }: { operators: readonly Operator[]; steps: readonly NewStep[] },
  { sources, input }: { sources: readonly Source[]; input: TaskInput },
): Promise<void> {
  const [writing] = columnsWritten(operators, steps);
  // Conditions on rows exclude documents, unless they hold without any column.
  if (writing === undefined || isDocumentSkipped(textFieldsOf(input))) return;
  const path = await findDocument({ db, datasets }, sources, input);
  if (path === undefined) return;
  const { step, operatorId, column } = writing;
  throw invalid(
    'output.format',
    parameterProblems.DOCUMENTS_NEED_ROWS.reason({ step: step + 1, operatorId, column, path }),
  );
}

/** Refuses steps that would overwrite the text with their result: throws INVALID_PARAMETER. */
export function checkTextIsKept(operators: readonly Operator[], steps: readonly NewStep[], input: TaskInput): void {
  const { textField, textFields = [] } = textFieldsOf(input);
  // Without a rule, a table's text is its column "text", if it has one.
  const texts = new Set([...textFields.flatMap(({ fields }) => fields), textField ?? 'text']);
  for (const { step, param, column } of columnsWritten(operators, steps))
    if (texts.has(column))
      throw invalid(`steps[${step}].params.${param}`, parameterProblems.IS_TEXT_COLUMN.reason({ column }));
}

/** The steps that write a column into each sample. */
function columnsWritten(
  operators: readonly Operator[],
  steps: readonly NewStep[],
): { step: number; operatorId: string; param: string; column: string }[] {
  return [...steps.entries()].flatMap(([step, { operatorId, params }]) => {
    const operator = operators.find(({ id }) => id === operatorId);
    const param = operator?.columnParam;
    if (operator === undefined || param === undefined) return [];
    const parsed = parseParams(operator, params);
    const column = parsed.ok ? parsed.params[param] : '';
    return typeof column === 'string' && column !== '' ? [{ step, operatorId, param, column }] : [];
  });
}

async function findDocument(
  { db, datasets }: { db: Db; datasets: Pick<DatasetAccess, 'countFiles' | 'walkFiles'> },
  sources: readonly Source[],
  input: TaskInput,
): Promise<string | undefined> {
  const selection = selectionOf(input);
  for (const source of sources) {
    const { folder: _folder, ...files } = source;
    const types = (await datasets.countFiles(db, { ...files, fileTypes: selection.fileTypes })).map(
      (type) => type.fileType,
    );
    const plain = types.filter((type) => isDocument(`a.${type}`));
    const packed = types.filter((type) => kindOf(type) === 'COMPRESSED');
    for (const [fileTypes, limit] of [
      [plain, 1],
      [packed, compressedFiles],
    ] as const) {
      if (fileTypes.length === 0) continue;
      const found = await firstFiles(
        walkSources(datasets, db, [source], { ...selection, fileTypes: [...fileTypes] }),
        limit,
      );
      const document = found.find(({ path }) => isDocument(contentPathOf(path)));
      if (document !== undefined) return document.path;
    }
  }
  return undefined;
}

function isDocument(path: string): boolean {
  const kind = kindOf(fileTypeOf(path));
  return kind === 'TEXT' || kind === 'DOCUMENT';
}
