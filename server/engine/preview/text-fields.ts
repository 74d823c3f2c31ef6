import { fileTypeOf } from '../../kernel/file-path.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Encoding } from '../../tables/encodings.ts';
import { formatOf, isRowFormat } from '../../tables/formats.ts';
import { findTexts, parseFieldPath } from '../../tables/field-paths.ts';
import type { JsonObject } from '../../tables/jsonl.ts';
import { headBytes, headRows, readLayout } from '../../tables/table-layout.ts';
import type { TextField } from '../../tables/text-field.ts';
import type { ColumnFiles } from '../columns/column-files.ts';
import type { InputFile } from '../job.ts';

/** Time limit for inspecting one table. */
const lookMs = 10_000;

/**
 * Detects the text column of a table from its first rows when none is configured; undefined for a file that is no
 * table, can't be read, or has no rows.
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

/** A field that leads to no text, and why. */
export type MissingField = { field: string; problem: string };

/**
 * The first of some columns or paths that leads to no text in any of a table's first rows; undefined if all do, and for
 * a file that is no table, can't be read or has no rows.
 */
export async function findMissingField(
  { blobs, columns }: { blobs: Pick<BlobStore, 'open'>; columns: Pick<ColumnFiles, 'findMissingField'> },
  file: InputFile,
  fields: readonly string[],
  encoding?: Encoding,
): Promise<MissingField | undefined> {
  const format = formatOf(fileTypeOf(file.path));
  if (file.blobId === null) return undefined;
  if (format === 'parquet') return columns.findMissingField(file, fields, AbortSignal.timeout(lookMs));
  if (!isRowFormat(format)) return undefined;
  const bytes = await readHead(blobs, file.blobId, Math.min(file.sizeBytes, headBytes));
  const head = { bytes, isWholeFile: bytes.length === file.sizeBytes };
  const answer = readLayout(head, format, { field: '', encoding });
  if (!answer.ok) return undefined;
  const { delimited } = answer.layout;
  if (delimited !== undefined) {
    const { names = [] } = delimited;
    const field = fields.find((name) => !names.includes(name));
    return field === undefined ? undefined : { field, problem: `its columns are ${names.join(', ')}` };
  }
  return findMissing([...headRows(head, answer.layout)], fields);
}

function findMissing(rows: readonly JsonObject[], fields: readonly string[]): MissingField | undefined {
  if (rows.length === 0) return undefined;
  for (const field of fields) {
    const path = parseFieldPath(field);
    const problems = rows.map((row) => findTexts(row, [path]));
    const [first] = problems;
    if (first !== undefined && 'problem' in first && problems.every((found) => 'problem' in found)) {
      return { field, problem: `in all of its first ${rows.length} rows ${first.problem}` };
    }
  }
  return undefined;
}

/** The first bytes of a file. */
export async function readHead(blobs: Pick<BlobStore, 'open'>, blobId: string, length: number): Promise<Uint8Array> {
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
