import { arrayProblem } from '../../../tables/array-problems.ts';
import { readFile, rm } from 'node:fs/promises';
import { reasonOfProblem } from '../../../documents/receipt.ts';
import { problemIn } from '../../orders/shard.ts';
import { isDocumentType, type DocumentReceipt, type Documents } from '../../../documents/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { documentProblems, inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Encoding } from '../../../encodings/encodings.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { beginsArray, firstElements } from '../../../tables/json-array.ts';
import { readLayout, type TableLayout } from '../../../tables/table-layout.ts';
import type { ColumnFiles } from '../shards/column-files.ts';
import type { InputFile } from '../job.ts';
import { describeDamage } from '../../orders/stored-bytes.ts';
import { findUnread, isUnpackable, type UnpackedHead, type Unpacker } from '../unpacking/unpacker.ts';
import type { Unpacked } from '../../orders/unpack-jobs.ts';
import { namePath, readHead } from './text-fields.ts';
import { detectEncoding, type FileHead } from '../../../encodings/encoding-detection.ts';

/** The dialect of a delimited text with its header. */
export type BeginningDialect = {
  delimiter: string;
  lineEnd: '\n' | '\r';
  hasQuotes: boolean;
  hasSeparatorLine: boolean;
  hasEscapes: boolean;
  endsAtReturns: boolean;
  above: string[];
  columns: string[];
};

/** The beginning of a file as a run reads it. */
export type FileBeginning = {
  /** How `text` is laid out: rows, or one text. Null if there is none. */
  form: 'JSONL' | 'CSV' | 'TSV' | 'TEXT' | null;
  /** Set for text files and tables of lines. */
  encoding: Encoding | null;
  text: string | null;
  /** How rows and cells of CSV and TSV are separated. */
  dialect: BeginningDialect | null;
  /** Whether `text` is the whole content. */
  isWhole: boolean;
  /** Receipt of the document's conversion; null for anything else. */
  receipt: DocumentReceipt | null;
  /** Why there is no text, or why it ends early. */
  problem: Reason | null;
};

type Sources = {
  blobs: Pick<BlobStore, 'open' | 'localPath'>;
  unpacker: Pick<Unpacker, 'unpackHead'>;
  columns: Pick<ColumnFiles, 'readRows'>;
  documents: Pick<Documents, 'read'>;
  timeoutMs: number;
};

/** Maximum unpacked size of a compressed document. */
const documentBytes = 64 << 20;
/** Maximum number of elements read from a JSON array. */
const mostElements = 100_000;

/**
 * Reads the beginning of a file as a run would: compressed files unpacked, the rows of Parquet files and JSON arrays as
 * JSON Lines, documents as their text. Reads no more than it needs for about `maxBytes` of text.
 */
export async function previewFile(sources: Sources, file: InputFile, maxBytes: number): Promise<FileBeginning> {
  const known = problemIn(file);
  if (known !== undefined) return without(known);
  if (file.blobId === null) return { ...without(null), form: 'TEXT', text: '', isWhole: true };
  const unread = findUnread(file);
  if (unread !== undefined) return without(unread);
  const signal = AbortSignal.timeout(sources.timeoutMs);
  try {
    return await readBeginning(sources, { ...file, blobId: file.blobId }, maxBytes, signal);
  } catch (error) {
    if (error !== signal.reason) throw error;
    return without(documentProblems.READING_TAKES_LONG.reason({ seconds: sources.timeoutMs / 1000 }));
  }
}

async function readBeginning(
  sources: Sources,
  file: InputFile & { blobId: string },
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileBeginning> {
  const fileType = fileTypeOf(namePath(file));
  if (formatOf(fileType) === 'parquet') return previewColumns(sources, file, maxBytes, signal);
  if (isDocumentType(fileType)) return previewDocument(sources, file, maxBytes, signal);
  if (!isUnpackable(file)) {
    const bytes = await readHead(sources.blobs, file.blobId, Math.min(file.sizeBytes, maxBytes));
    return previewText(fileType, { bytes, isWholeFile: bytes.length === file.sizeBytes });
  }
  return withUnpacked(await sources.unpacker.unpackHead(file, maxBytes, signal), async ({ path, isWhole }, problem) => {
    const bytes = await readFile(path);
    const head = { bytes: bytes.subarray(0, maxBytes), isWholeFile: isWhole && problem === null };
    return { ...previewText(fileType, head), ...(problem === null ? {} : { problem }) };
  });
}

function without(problem: Reason | null): FileBeginning {
  return { form: null, encoding: null, text: null, dialect: null, isWhole: false, receipt: null, problem };
}

/** Calls `use` with the unpacked content, which is deleted afterwards, and the problem that ended it. */
async function withUnpacked(
  { content, problem }: Unpacked<UnpackedHead>,
  use: (head: UnpackedHead, problem: Reason | null) => Promise<FileBeginning>,
): Promise<FileBeginning> {
  if (content === undefined) return without(problem ?? null);
  try {
    return await use(content, problem ?? null);
  } finally {
    await rm(content.path, { force: true });
  }
}

async function previewColumns(
  { columns }: Sources,
  file: InputFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileBeginning> {
  const found = await columns.readRows(file, maxBytes, signal);
  if ('problem' in found) return without(found.problem);
  return { ...without(null), form: 'JSONL', text: decoded(found, 'utf-8', 0), isWhole: found.isWholeFile };
}

async function previewDocument(
  sources: Sources,
  file: InputFile & { blobId: string },
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileBeginning> {
  const fileType = fileTypeOf(namePath(file));
  const read = async (source: Parameters<Documents['read']>[0]): Promise<FileBeginning> => {
    const result = await sources.documents.read(source, fileType, signal, 'preview');
    if (result.kind === 'damaged') return without(describeDamage(file.path, { from: 0, to: file.sizeBytes }));
    if (result.kind === 'failed') return { ...without(reasonOfProblem(result.problem)), receipt: result.receipt };
    const { markdown, receipt } = result;
    const head = { bytes: markdown.subarray(0, maxBytes), isWholeFile: markdown.length <= maxBytes };
    return { ...without(null), form: 'TEXT', text: decoded(head, 'utf-8', 0), isWhole: head.isWholeFile, receipt };
  };
  if (isUnpackable(file)) {
    return withUnpacked(
      await sources.unpacker.unpackHead(file, documentBytes, signal),
      async ({ path, sizeBytes, isWhole }, problem) =>
        isWhole && problem === null
          ? read({ path, offset: 0, sizeBytes })
          : without(problem ?? inputProblems.NOT_READ_COMPRESSED.reason({})),
    );
  }
  const place = await sources.blobs.localPath(file.blobId);
  try {
    return await read({ path: place.path, offset: place.offset, sizeBytes: file.sizeBytes, crc32: place.crc32 });
  } finally {
    await place.release();
  }
}

function previewText(fileType: string, head: FileHead): FileBeginning {
  const format = formatOf(fileType);
  if (isRowFormat(format)) {
    const answer = readLayout(head, format, { field: '', encoding: undefined });
    if (answer.ok) {
      const { encoding, markBytes, isArray } = answer.layout;
      if (isArray === true) return { ...without(null), form: 'JSONL', encoding, ...elementLines(head) };
      const text = decoded(head, encoding, markBytes);
      const form = format === 'json' ? 'JSONL' : (format.toUpperCase() as 'JSONL' | 'CSV' | 'TSV');
      const dialect = dialectOf(answer.layout.delimited);
      return { ...without(null), form, encoding, text, dialect, isWhole: head.isWholeFile };
    }
  }
  const found = detectEncoding(head, format === 'text' || isRowFormat(format));
  if (found === undefined) return without(inputProblems.BYTES_NO_TEXT.reason({}));
  const { encoding, markBytes } = found;
  return {
    ...without(null),
    form: 'TEXT',
    encoding,
    text: decoded(head, encoding, markBytes),
    isWhole: head.isWholeFile,
  };
}

/** How the rows and cells of a delimited table are separated. */
export function dialectOf(table: TableLayout['delimited']): BeginningDialect | null {
  if (table === undefined) return null;
  const { delimiter, lineEnd, endsAtReturns = false, quoting, hasEscapes = false, above = [], names = [] } = table;
  return {
    delimiter: String.fromCharCode(delimiter),
    lineEnd: lineEnd === 0x0d ? '\r' : '\n',
    hasQuotes: quoting,
    hasSeparatorLine: above.some((text) => /^"?sep=/i.test(text)),
    hasEscapes,
    endsAtReturns,
    above: [...above],
    columns: [...names],
  };
}

/** Elements of an array as JSON Lines, up to a syntax error, which is returned as the problem. */
function elementLines({ bytes, isWholeFile }: FileHead): Pick<FileBeginning, 'text' | 'isWhole' | 'problem'> {
  const content = beginsArray(bytes) ? bytes : bytes.subarray(3);
  const { elements, isAll, broken } = firstElements(content, mostElements, isWholeFile);
  const lines = elements.map(
    (element) =>
      `${Buffer.from(element)
        .toString()
        .replaceAll(/\r?\n\s*/g, ' ')}\n`,
  );
  return { text: lines.join(''), isWhole: isAll, problem: broken === undefined ? null : arrayProblem(broken.problem) };
}

function decoded({ bytes, isWholeFile }: FileHead, encoding: Encoding, markBytes: number): string {
  // A truncated character is left out.
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(markBytes), { stream: !isWholeFile });
}
