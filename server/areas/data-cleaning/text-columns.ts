import type { Engine } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Db } from '../../storage/database/database.ts';
import { tableFileTypes } from '../../tables/formats.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { TaskInput } from './schemas.ts';
import { namedEncoding } from './task-input.ts';

/** Tables whose first rows are looked at; of further ones the run tells. */
const checkedTables = 20;

/**
 * Whether the column that holds the text can be told in each of the first tables, where nobody named one; throws INVALID_PARAMETER
 * for the first one where it can't. A table that can't be read says nothing: its run does. Reads files: not for a transaction.
 */
export async function checkTextColumns(
  { db, datasets, engine }: { db: Db; datasets: DatasetAccess; engine: Pick<Engine, 'findTextField'> },
  source: { datasetId: string; version: number; input: TaskInput },
): Promise<void> {
  const { datasetId, version, input } = source;
  const { prefix, fileTypes, textField } = input;
  const wanted = tableFileTypes.filter((type) => fileTypes.length === 0 || fileTypes.includes(type));
  if (textField !== null || wanted.length === 0) return;
  const tables = datasets.walkFiles(db, { datasetId, version, prefix, fileTypes: wanted }, checkedTables);
  const { value: files } = await tables.next();
  for (const { path, ...file } of files ?? []) {
    const guess = await engine.findTextField({ ...file, path }, namedEncoding(input));
    if (guess === undefined || guess.ok) continue;
    const found =
      guess.candidates.length === 0 ? 'has no string column' : `has the string columns ${guess.candidates.join(', ')}`;
    throw invalid('input.textField', `is needed: ${path} ${found} and none named text`);
  }
}
