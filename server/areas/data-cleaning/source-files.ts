import type { InputFile } from '../../engine/index.ts';
import type { Db } from '../../storage/database/database.ts';
import { listSourceFiles } from './queries.ts';

const filesAtOnce = 1000;

/** The files of a version of a source in path order, some at a time; those that can't be read say why. */
export async function* walkSourceFiles(
  db: Db,
  source: Parameters<typeof listSourceFiles>[1],
): AsyncGenerator<readonly InputFile[]> {
  for (let after = ''; ;) {
    const files = await listSourceFiles(db, source, after, filesAtOnce);
    const last = files.at(-1);
    if (last === undefined) return;
    after = last.path;
    yield files.map((file): InputFile => {
      const { file_id: fileId, path, size_bytes: sizeBytes, blob_id: blobId, status } = file;
      const whole = { fileId, path, sizeBytes, blobId };
      return status === 'COMPLETED' ? whole : { ...whole, problem: `The file's status is ${status}` };
    });
  }
}
