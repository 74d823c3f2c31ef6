import { fileTypeOf } from '../../kernel/file-path.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Encoding } from '../../tables/encodings.ts';
import { formatOf, isRowFormat } from '../../tables/formats.ts';
import { headBytes, readLayout } from '../../tables/table-layout.ts';
import type { TextField } from '../../tables/text-field.ts';
import type { ColumnFiles } from '../columns/column-files.ts';
import type { InputFile } from '../job.ts';

/** How long a look at one table may take. */
const lookMs = 10_000;

/**
 * Which column of a table holds the text when nobody names it, told from its beginning; undefined for a file that is no table,
 * can't be read, or has no rows to tell it from.
 */
export async function findTextField(
  { blobs, columns }: { blobs: Pick<BlobStore, 'open'>; columns: Pick<ColumnFiles, 'findTextField'> },
  file: InputFile,
  encoding?: Encoding,
): Promise<TextField | undefined> {
  const format = formatOf(fileTypeOf(file.path));
  if (file.blobId === null) return undefined;
  if (format === 'parquet') return columns.findTextField(file, AbortSignal.timeout(lookMs));
  if (!isRowFormat(format)) return undefined;
  const bytes = await readHead(blobs, file.blobId, Math.min(file.sizeBytes, headBytes));
  const answer = readLayout({ bytes, isWholeFile: bytes.length === file.sizeBytes }, format, {
    field: undefined,
    encoding,
  });
  if (!answer.ok) return 'candidates' in answer ? answer : undefined;
  return answer.isColumnKnown ? { ok: true, field: answer.layout.field } : undefined;
}

async function readHead(blobs: Pick<BlobStore, 'open'>, blobId: string, length: number): Promise<Uint8Array> {
  const reader = await blobs.open(blobId);
  try {
    const head = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = await reader.read(head.subarray(done), done);
      if (count === 0) break;
      done += count;
    }
    return head.subarray(0, done);
  } finally {
    await reader.close();
  }
}
