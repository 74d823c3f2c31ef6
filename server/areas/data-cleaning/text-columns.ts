import type { Engine } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import type { SourceFile } from './queries.ts';

/**
 * Whether the column that holds the text can be told in each of the tables; throws INVALID_PARAMETER for the first one where it
 * can't. A table that can't be read says nothing: its run does.
 */
export async function checkTextColumns(
  engine: Pick<Engine, 'findTextField'>,
  tables: readonly SourceFile[],
): Promise<void> {
  for (const { file_id: fileId, path, size_bytes: sizeBytes, blob_id: blobId } of tables) {
    const guess = await engine.findTextField({ fileId, path, sizeBytes, blobId });
    if (guess === undefined || guess.ok) continue;
    const found =
      guess.candidates.length === 0 ? 'has no string column' : `has the string columns ${guess.candidates.join(', ')}`;
    throw invalid('input.textField', `is needed: ${path} ${found} and none named text`);
  }
}
