import { readFile, rm } from 'node:fs/promises';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { contentPathOf } from '../../../tables/compression/compressed-names.ts';
import type { Encoding } from '../../../encodings/encodings.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { findTexts, parseFieldPath } from '../../../tables/field-paths.ts';
import type { JsonObject } from '../../../tables/jsonl.ts';
import { headBytes, headRows, readLayout } from '../../../tables/table-layout.ts';
import type { TextField } from '../../../tables/text-field.ts';
import type { ColumnFiles } from '../shards/column-files.ts';
import type { InputFile } from '../job.ts';
import { isUnpackable, type Unpacker } from '../unpacking/unpacker.ts';
import type { FileHead } from '../../../encodings/encoding-detection.ts';

/** Time limit for inspecting one table. */
const lookMs = 10_000;

/**
 * Detects the text column of a table from its first rows when none is configured; undefined for a file that is not a
 * table, can't be read, or has no rows.
 */
export async function findTextField(
  { columns, ...sources }: HeadSources & { columns: Pick<ColumnFiles, 'findTextField'> },
  file: InputFile,
  encoding?: Encoding,
): Promise<TextField | undefined> {
  const format = formatOf(fileTypeOf(namePath(file)));
  if (file.blobId === null) return undefined;
  if (format === 'parquet') return columns.findTextField(file, AbortSignal.timeout(lookMs));
  if (!isRowFormat(format)) return undefined;
  const head = await readFileHead(sources, file);
  if (head === undefined) return undefined;
  const answer = readLayout(head, format, {
    field: undefined,
    encoding,
  });
  if (!answer.ok) return 'candidates' in answer ? answer : undefined;
  return answer.isColumnKnown ? { ok: true, field: answer.layout.field } : undefined;
}

/** A field that leads to no text, and why. */
export type MissingField = { field: string; problem: Reason };

/**
 * The first of the given columns or paths that leads to no text in any of a table's first rows; undefined if all do,
 * and for a file that is not a table, can't be read or has no rows.
 */
export async function findMissingField(
  { columns, ...sources }: HeadSources & { columns: Pick<ColumnFiles, 'findMissingField'> },
  file: InputFile,
  fields: readonly string[],
  encoding?: Encoding,
): Promise<MissingField | undefined> {
  const format = formatOf(fileTypeOf(namePath(file)));
  if (file.blobId === null) return undefined;
  if (format === 'parquet') return columns.findMissingField(file, fields, AbortSignal.timeout(lookMs));
  if (!isRowFormat(format)) return undefined;
  const head = await readFileHead(sources, file);
  if (head === undefined) return undefined;
  const answer = readLayout(head, format, { field: '', encoding });
  if (!answer.ok) return undefined;
  const { delimited } = answer.layout;
  if (delimited !== undefined) {
    const { names = [] } = delimited;
    const field = fields.find((name) => !names.includes(name));
    return field === undefined
      ? undefined
      : { field, problem: inputProblems.COLUMNS_ARE.reason({ columns: names.join(', ') }) };
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
      const problem = inputProblems.IN_ALL_ROWS.reason({ rows: rows.length, why: first.problem });
      return { field, problem };
    }
  }
  return undefined;
}

export type HeadSources = { blobs: Pick<BlobStore, 'open'>; unpacker: Pick<Unpacker, 'unpackHead'> };

/** The path whose extension names the format of the file. */
export function namePath(file: InputFile): string {
  return isUnpackable(file) ? contentPathOf(file.path) : file.path;
}

/** The first bytes of a file's content; undefined if a compressed one can't be read. */
export async function readFileHead(
  { blobs, unpacker }: HeadSources,
  file: InputFile,
  length = headBytes,
): Promise<FileHead | undefined> {
  if (file.blobId === null) return undefined;
  if (!isUnpackable(file)) {
    const bytes = await readHead(blobs, file.blobId, Math.min(file.sizeBytes, length));
    return { bytes, isWholeFile: bytes.length === file.sizeBytes };
  }
  const { content } = await unpacker.unpackHead(file, length, AbortSignal.timeout(lookMs));
  if (content === undefined) return undefined;
  try {
    const bytes = await readFile(content.path);
    return { bytes: bytes.subarray(0, length), isWholeFile: content.isWhole };
  } finally {
    await rm(content.path, { force: true });
  }
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
