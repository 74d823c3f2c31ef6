import { reasonOfProblem } from '../../../documents/receipt.ts';
import { findSignature, type DocumentResult } from '../../../documents/index.ts';
import { fileNameOf, maxSegmentBytes } from '../../../kernel/file-path.ts';
import { documentProblems, inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { renameContent } from '../../../tables/compression/compressed-names.ts';
import { describeUnread, type SampleFormat } from '../../../tables/formats.ts';
import { readFully, type ReadAt } from '../../../tables/lines.ts';
import { decodeText, type DecodedText, type Encoding } from '../../../tables/text.ts';
import { sourceOf, type PieceOutput, type PlacedPiece } from '../../orders/shard.ts';
import type { ChainInput, Judgement } from './chain.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import type { OfferedSample, Refusal, ShardContext } from './shard-context.ts';
import { describeDamage, StoredBytesDamaged } from '../../orders/stored-bytes.ts';

/** Maximum number of columns listed in a reason. */
const namedColumns = 5;

type ReadText = Extract<DecodedText, { text: string }>;

/** What is known about a document before it is read. */
export type DocumentSource =
  | { format: SampleFormat; read: ReadAt }
  | { problem: Reason }
  /** Its bytes differ from those stored: nothing of it goes into a result. */
  | { damage: Reason };

/**
 * Processes a whole file as one sample; a file that can't be read as text is one failed sample. The result is UTF-8
 * without a byte order mark.
 */
export function processDocument(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  source: DocumentSource,
): PieceOutput[] {
  const outputs: PieceOutput[] = [];
  const { limits, recipe } = context.job;
  const given = { maxBytes: limits.maxDocumentBytes, encoding: recipe.encoding ?? undefined };
  let decoded: ReadText | undefined;
  let damage: Reason | undefined;
  context.sample({
    piece: index,
    row: null,
    ...('format' in source ? documentFilter(context) : {}),
    read: () => {
      if ('problem' in source) return source;
      const read = 'damage' in source ? source : readIntact(piece, source, given);
      if ('damage' in read) {
        damage = read.damage;
        context.damaged(damage);
        return { problem: damage };
      }
      if (!('problem' in read)) decoded = read;
      if (decoded !== undefined) {
        context.describe(index, { format: 'text', encoding: decoded.encoding, certainty: decoded.certainty });
      }
      return 'problem' in read ? read : inputOf(context, piece.path, read.text);
    },
    write: ({ verdict, texts, written }) => {
      const passes =
        verdict === 'FAILED' && context.job.recipe.onError === 'KEEP' && piece.blobId !== null && damage === undefined;
      const isSame = verdict === 'KEPT' && decoded?.encoding === 'utf-8' && !decoded.byteOrderMark;
      if (context.rowOutput !== undefined && (passes || isSame)) {
        if (decoded === undefined) return 0;
        outputs.push(...writeTexts(context, piece.path, [decoded.text]));
        return 1;
      }
      if (passes || isSame) {
        outputs.push({ path: piece.path, from: 'source', start: 0, end: piece.sizeBytes });
        return 1;
      }
      outputs.push(...writeTexts(context, piece.path, texts, written));
      return texts.length;
    },
    refuse: (judgement) => refuseParts(context, judgement) ?? refuseNames(piece.path, judgement.texts),
    ...wholeFile(piece, () => damage === undefined),
  });
  return outputs;
}

/**
 * Processes a document that was converted to Markdown: `a.pdf` becomes `a.pdf.md`; an unreadable document is passed
 * through or left out.
 */
export function processReadDocument(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  document: DocumentResult,
): PieceOutput[] {
  const outputs: PieceOutput[] = [];
  const path = `${piece.path}.md`;
  context.sample({
    piece: index,
    row: null,
    ...documentFilter(context),
    read: () => {
      if (document.kind === 'damaged') {
        const problem = describeDamage(piece.path, { from: 0, to: piece.sizeBytes });
        context.damaged(problem);
        return { problem };
      }
      if (document.kind === 'failed') return { problem: reasonOfProblem(document.problem) };
      const { buffer, byteOffset, length } = document.markdown;
      const refusal = refuseNames(path, ['']);
      return refusal === undefined
        ? inputOf(context, piece.path, Buffer.from(buffer, byteOffset, length).toString('utf8'))
        : { problem: refusal };
    },
    write: ({ verdict, texts, written }) => {
      if (context.rowOutput !== undefined) {
        writeTexts(context, piece.path, texts, written);
        return texts.length;
      }
      if (verdict === 'FAILED' && context.job.recipe.onError === 'KEEP' && document.kind !== 'damaged') {
        outputs.push({ path: piece.path, from: 'source', start: 0, end: piece.sizeBytes });
        return 1;
      }
      outputs.push(...writeTexts(context, path, texts));
      return texts.length;
    },
    refuse: (judgement) => refuseParts(context, judgement) ?? refuseNames(path, judgement.texts),
    ...wholeFile(piece, () => document.kind !== 'damaged'),
    ...(document.kind === 'damaged' || document.receipt === null ? {} : { receipt: document.receipt }),
  });
  return outputs;
}

/** The bytes to set aside for a document: its whole file; nothing if the file is damaged or missing. */
function wholeFile(piece: PlacedPiece, isIntact: () => boolean): Pick<OfferedSample, 'raw'> {
  if (piece.blobId === null) return {};
  return { raw: () => (isIntact() ? { held: 'file', start: 0, lengthBytes: sourceOf(piece).sizeBytes } : undefined) };
}

/** Writes each text as a file, or as a row of the chosen output format with its source's path. */
function writeTexts(
  context: ShardContext,
  path: string,
  texts: readonly string[],
  written?: Judgement['written'],
): PieceOutput[] {
  const { rowOutput } = context;
  if (rowOutput !== undefined) {
    for (const [at, text] of texts.entries()) {
      const { textName = 'text', fields } = written?.[at] ?? {};
      rowOutput.append({ [textName]: text, path, ...fields });
    }
    return [];
  }
  return texts.map((text, number) => {
    const start = context.bytes.length;
    context.bytes.append(Buffer.from(text));
    const name = renameContent(path, (content) => (texts.length === 1 ? content : partPath(content, number + 1)));
    return { path: name, from: 'result', start, end: context.bytes.length };
  });
}

/** A document as the steps see it; one that becomes a row has that row's columns. */
function inputOf({ job }: ShardContext, path: string, text: string): ChainInput {
  if (job.recipe.output === undefined) return { text };
  return { text, source: { fields: () => ({ path }), columns: () => ({ text, path }), textColumn: 'text' } };
}

/** Row conditions on a document: it has no columns, so they are checked against an empty row. */
export function documentFilter({ job }: ShardContext): { skip?: () => Reason | undefined } {
  const filter = createRowFilter(job.recipe);
  return filter === undefined ? {} : { skip: filter.whyNotDocument };
}

/**
 * Why a document can't hold the parts that steps wrote besides its text, and the step that wrote them, if only one can
 * have.
 */
function refuseParts({ job, onlyWriter = null }: ShardContext, { written = [] }: Judgement): Refusal | undefined {
  const isRow = job.recipe.output !== undefined;
  if (written.some((parts) => parts?.messages !== undefined || parts?.media !== undefined))
    return { reason: inputProblems.DOCUMENT_TEXT_ONLY.reason({}), step: onlyWriter };
  if (isRow || written.length === 0) return undefined;
  const names = new Set(written.flatMap((parts) => Object.keys(parts?.fields ?? {})));
  const columns = [...names].slice(0, namedColumns).map((name) => JSON.stringify(name));
  return { reason: inputProblems.DOCUMENT_NO_COLUMNS.reason({ columns: columns.join(', ') }), step: onlyWriter };
}

/** Why the dataset can't hold a file with this name: committing it would fail the whole run. */
export function refuseNames(path: string, texts: readonly string[]): Reason | undefined {
  const name = fileNameOf(texts.length === 1 ? path : partPath(path, texts.length));
  return Buffer.byteLength(name) > maxSegmentBytes
    ? inputProblems.NAME_TOO_LONG.reason({ name, limit: maxSegmentBytes })
    : undefined;
}

function readIntact(...asked: Parameters<typeof readDocument>): ReturnType<typeof readDocument> | { damage: Reason } {
  try {
    return readDocument(...asked);
  } catch (error) {
    if (error instanceof StoredBytesDamaged) return { damage: error.reason };
    throw error;
  }
}

function readDocument(
  piece: PlacedPiece,
  { format: given, read }: { format: SampleFormat; read: ReadAt },
  { maxBytes, encoding }: { maxBytes: number; encoding: Encoding | undefined },
): ReadText | { problem: Reason } {
  const file = fileNameOf(piece.path);
  if (given === 'unsupported') {
    const why = describeUnread(piece.path);
    return {
      problem:
        why === undefined
          ? inputProblems.UNSUPPORTED_NO_TEXT.reason({ file })
          : inputProblems.UNSUPPORTED_BECAUSE.reason({ file, why }),
    };
  }
  if (piece.sizeBytes > maxBytes) {
    return { problem: inputProblems.DOCUMENT_TOO_LONG.reason({ bytes: piece.sizeBytes, limit: maxBytes }) };
  }
  const bytes = new Uint8Array(piece.sizeBytes);
  readFully(read, bytes, 0);
  const format = hiddenFormats.get(findSignature(bytes) ?? '');
  if (format !== undefined) return { problem: inputProblems.UNSUPPORTED_NAME.reason({ file, format }) };
  const decoded = decodeText(bytes, given === 'text', encoding);
  if (decoded === undefined) return { problem: inputProblems.UNSUPPORTED_BYTES.reason({ file }) };
  if (!('problem' in decoded)) return decoded;
  return { problem: inputProblems.FILE_INVALID_ENCODING.reason({ file, why: decoded.problem }) };
}

/** Binary formats by signature, whatever the file's extension; text operators would damage them. */
const hiddenFormats = new Map<string, Reason | string>([
  ['pdf', documentProblems.FORMAT_PDF.reason({})],
  ['zip', documentProblems.FORMAT_ZIP.reason({})],
  ['rtf', 'RTF'],
  ['ole2', documentProblems.FORMAT_OLE2.reason({})],
]);

/** Path of a part of a split document: `a/b.txt` → `a/b.part-0001.txt`. */
export function partPath(path: string, number: number): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  const stemEnd = path.length - name.length + (dot <= 0 ? name.length : dot);
  return `${path.slice(0, stemEnd)}.part-${String(number).padStart(4, '0')}${path.slice(stemEnd)}`;
}
