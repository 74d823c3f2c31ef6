import type { Engine } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Db } from '../../storage/database/database.ts';
import { tableFileTypes } from '../../tables/formats.ts';
import { listSourceFiles } from './queries.ts';
import type { TaskInput } from './schemas.ts';

/** Tables whose first rows are looked at; of further ones the run tells. */
const checkedTables = 20;

/**
 * Whether the column that holds the text can be told in each of the first tables, where nobody named one; throws INVALID_PARAMETER
 * for the first one where it can't. A table that can't be read says nothing: its run does. Reads files: not for a transaction.
 */
export async function checkTextColumns(
  { db, engine }: { db: Db; engine: Pick<Engine, 'findTextField'> },
  source: { datasetId: string; version: number; input: TaskInput },
): Promise<void> {
  const { prefix, fileTypes, textField } = source.input;
  const wanted = tableFileTypes.filter((type) => fileTypes.length === 0 || fileTypes.includes(type));
  if (textField !== null || wanted.length === 0) return;
  const tables = { ...source, input: { prefix, fileTypes: wanted } };
  for (const file of await listSourceFiles(db, tables, '', checkedTables)) {
    const { file_id: fileId, path, size_bytes: sizeBytes, blob_id: blobId } = file;
    const guess = await engine.findTextField({ fileId, path, sizeBytes, blobId });
    if (guess === undefined || guess.ok) continue;
    const found =
      guess.candidates.length === 0 ? 'has no string column' : `has the string columns ${guess.candidates.join(', ')}`;
    throw invalid('input.textField', `is needed: ${path} ${found} and none named text`);
  }
}
