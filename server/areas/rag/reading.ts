import {
  describeReplaced,
  findSignature,
  isDocumentType,
  isPicture,
  signatureBytes,
  type DocumentPart,
  type Documents,
  type PageKind,
  type DocumentReceipt,
} from '../../documents/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import { decodeUncommon } from '../../encodings/decoded-text.ts';
import { decodeText, type Encoding } from '../../tables/text.ts';
import type { PageRange } from '../../chunking/chunking.ts';
import { countCodePoints } from '../../chunking/code-points.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { ragCauses } from './sentences.ts';

/** The outcome of reading a document; the counts are null for formats without pages. */
export type ReadReceipt = {
  /** Missing in receipts of earlier releases. */
  pageKind?: PageKind | null;
  pagesIn: number | null;
  pagesOut: number | null;
  characters: number;
  tables: number;
} & Pick<DocumentReceipt, 'warnings' | 'warningSentences' | 'leftOut' | 'replaced'>;

export type ReadText = { text: string; pages: PageRange[]; receipt: ReadReceipt };

/** A text, or why there is none, with the receipt of what was found. */
export type Reading = ReadText | { cause: Reason; receipt?: ReadReceipt };

/** Larger texts are refused: their chunks would be of no use to a model or a person. */
const maxTextBytes = 64 << 20;

/**
 * Extracts the text of a file: Markdown for documents, plain text in its detected encoding for others. Returns problems
 * of the document as a result; throws the signal's reason after an abort.
 */
export async function readText(
  { blobs, documents }: { blobs: Pick<BlobStore, 'localPath' | 'open'>; documents: Pick<Documents, 'read'> },
  { blobId, fileType, htmlPart, owner }: { blobId: string; fileType: string; htmlPart: DocumentPart; owner: string },
  signal: AbortSignal,
): Promise<Reading> {
  if (await isDocument(blobs, blobId, fileType)) {
    const { path, offset, sizeBytes, crc32, release } = await blobs.localPath(blobId);
    try {
      const result = await documents.read({ path, offset, sizeBytes, crc32, part: htmlPart }, fileType, signal, owner);
      if (result.kind === 'damaged') return { cause: ragCauses.DOCUMENT_DAMAGED.reason({}) };
      if (result.kind === 'failed')
        return {
          cause: result.problem.reason,
          ...(result.receipt === null ? {} : { receipt: asRead(result.receipt) }),
        };
      const text = new TextDecoder().decode(result.markdown);
      return {
        text,
        pages: result.pages,
        receipt: asRead(result.receipt),
      };
    } finally {
      await release();
    }
  }
  const bytes = await readBytes(blobs, blobId);
  return bytes === undefined
    ? { cause: ragCauses.DOCUMENT_TEXT_TOO_LARGE.reason({ limit: maxTextBytes }) }
    : readPlain(bytes);
}

function asRead({ format: _format, title: _title, images: _images, ...receipt }: DocumentReceipt): ReadReceipt {
  return receipt;
}

/** A plain text, and the bytes that it was read from. */
export type PlainFile = { bytes: Uint8Array; reading: Reading };

/** Reads a plain-text file in one go; returns undefined for a document. The caller bounds the size. */
export async function readPlainFile(
  { blobs }: { blobs: Pick<BlobStore, 'open'> },
  { blobId, fileType }: { blobId: string; fileType: string },
): Promise<PlainFile | undefined> {
  if (isDocumentType(fileType)) return undefined;
  const bytes = await readBytes(blobs, blobId);
  if (bytes === undefined || hasDocumentSignature(bytes.subarray(0, signatureBytes))) return undefined;
  return { bytes, reading: readPlain(bytes) };
}

function readPlain(bytes: Uint8Array): Reading {
  if (isPicture(bytes)) return { cause: ragCauses.DOCUMENT_PICTURE.reason({}) };
  const uncommon = decodeUncommon(bytes);
  const decoded =
    uncommon === undefined
      ? decodeText(bytes, false)
      : { ...uncommon, certainty: 'CERTAIN' as const, byteOrderMark: false };
  if (decoded === undefined) return { cause: ragCauses.DOCUMENT_NOT_TEXT.reason({}) };
  const whole = 'problem' in decoded ? decodeLoosely(bytes, decoded.encoding) : decoded.text;
  if (whole === undefined)
    return { cause: ragCauses.DOCUMENT_WRONG_ENCODING.reason({ encoding: decoded.encoding.toUpperCase() }) };
  // Databases cannot store NUL in a text.
  const text = whole.replaceAll('\0', '\uFFFD');
  const warnings = [
    ...(isGuess(decoded) ? [ragCauses.ENCODING_GUESSED.reason({ encoding: decoded.encoding.toUpperCase() })] : []),
    ...describeReplaced(text),
  ];
  const characters = countCodePoints(text).at(text.length);
  return {
    text,
    pages: [],
    receipt: {
      pageKind: null,
      pagesIn: null,
      pagesOut: null,
      characters,
      tables: 0,
      warnings: warnings.map((one) => one.text),
      warningSentences: warnings.map(({ sentence }) => sentence),
    },
  };
}

/** A text with U+FFFD for each part that can't be decoded; undefined if that is too much of it. */
function decodeLoosely(bytes: Uint8Array, encoding: Encoding): string | undefined {
  const text = new TextDecoder(encoding).decode(bytes);
  const replaced = text.match(/\ufffd/g)?.length ?? 0;
  return replaced * leastPerReplaced > text.length ? undefined : text;
}

/** With less text for each replaced character, the encoding is a wrong one. */
const leastPerReplaced = 20;

/** Only a mark, UTF-8 and UTF-16 leave no doubt; the bytes of other encodings mean something in each of them. */
function isGuess({ certainty, encoding }: { certainty: string; encoding: string }): boolean {
  return certainty === 'UNSURE' || (certainty === 'LIKELY' && !encoding.startsWith('utf-'));
}

async function isDocument(blobs: Pick<BlobStore, 'open'>, blobId: string, fileType: string): Promise<boolean> {
  if (isDocumentType(fileType)) return true;
  const reader = await blobs.open(blobId);
  try {
    const head = new Uint8Array(signatureBytes);
    const size = await reader.read(head, 0);
    return hasDocumentSignature(head.subarray(0, size));
  } finally {
    await reader.close();
  }
}

function hasDocumentSignature(head: Uint8Array): boolean {
  const signature = findSignature(head);
  // HTML is also text: templates and source code that contain HTML stay as they are.
  return signature !== undefined && signature !== 'html';
}

/** Reads all bytes; returns undefined if there are too many. */
async function readBytes(blobs: Pick<BlobStore, 'open'>, blobId: string): Promise<Uint8Array | undefined> {
  const reader = await blobs.open(blobId);
  try {
    const { sizeBytes } = reader.facts;
    if (sizeBytes > maxTextBytes) return undefined;
    const bytes = new Uint8Array(sizeBytes);
    const read = await reader.read(bytes, 0);
    return bytes.subarray(0, read);
  } finally {
    await reader.close();
  }
}
