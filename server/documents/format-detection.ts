import { detectEncoding } from '../encodings/encoding-detection.ts';
import { utf32Of } from '../encodings/utf32.ts';
import { documentProblems, type Reason } from '../kernel/sentences/index.ts';
import { readArchiveContent } from './archive-content.ts';
import { findDocumentFormat, findSignature, formatNames, signatureBytes, type DocumentFormat } from './formats.ts';
import { openPackage } from './package/office-package.ts';
import { formatOfPackage } from './package/package-format.ts';
import { PackageProblem } from './package/package-problem.ts';
import { DocumentFailure, type DocumentLimits } from './receipt.ts';

export type DetectedFormat = {
  format: DocumentFormat;
  warnings: Reason[];
};

/** The format of a document by its bytes, regardless of its name; throws DocumentFailure for unsupported formats. */
export async function detectFormat(
  bytes: Uint8Array,
  fileType: string,
  limits: DocumentLimits,
): Promise<DetectedFormat> {
  if (bytes.length === 0) throw new DocumentFailure('NO_TEXT', documentProblems.FILE_IS_EMPTY.reason({}));
  const named = findDocumentFormat(fileType);
  const format = await formatOf(bytes, named, limits);
  const warnings =
    named === format
      ? []
      : [documentProblems.NAMED_OTHERWISE.reason({ extension: fileType, format: formatNames[format] })];
  return { format, warnings };
}

async function formatOf(
  bytes: Uint8Array,
  named: DocumentFormat | undefined,
  limits: DocumentLimits,
): Promise<DocumentFormat> {
  // ISO 32000 requires a PDF's header first; Acrobat, and so most software, accepts it anywhere in the first 1,024
  // bytes.
  const isLatePdf = named === 'pdf' && Buffer.from(bytes.subarray(0, signatureBytes)).includes('%PDF-');
  const signature = findSignature(bytes) ?? (isLatePdf ? 'pdf' : undefined);
  if (signature === 'zip') {
    const { format: declared, isOpenDocument, hasContainer } = await readArchiveContent(bytes, limits);
    const format =
      declared ??
      (await packageFormatOf(bytes)) ??
      (hasContainer ? 'epub' : undefined) ??
      (isOpenDocument && named !== undefined && openDocument.has(named) ? named : undefined);
    if (format === undefined) throw unsupported(documentProblems.ZIP_NO_DOCUMENT.reason({}));
    return format;
  }
  if (signature === 'ole2') throw office97(bytes);
  if (signature !== undefined) return signature;
  // HTML and e-mail need no signature; the other formats here do.
  const isText = !Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).includes(0);
  if ((named === 'html' || named === 'eml') && (isText || isWideText(bytes))) return named;
  if (named === undefined) throw unsupported(documentProblems.NO_KNOWN_DOCUMENT.reason({}));
  throw new DocumentFailure('DAMAGED', documentProblems.BEGINS_OTHERWISE.reason({ format: formatNames[named] }));
}

async function packageFormatOf(bytes: Uint8Array): Promise<DocumentFormat | undefined> {
  try {
    return await formatOfPackage(await openPackage(bytes));
  } catch (error) {
    if (error instanceof PackageProblem) throw new DocumentFailure('TOO_LARGE', error.reason, { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentFailure('DAMAGED', documentProblems.CUT_OR_DAMAGED.reason({ why }), { cause: error });
  }
}

const openDocument = new Set<DocumentFormat>(['odt', 'odp', 'ods']);

/** Whether bytes with zeros among them are text in UTF-16 or UTF-32. */
function isWideText(bytes: Uint8Array): boolean {
  const encoding = utf32Of(bytes) ?? detectEncoding({ bytes, isWholeFile: true }, true)?.encoding;
  return encoding !== undefined && /^utf-(?:16|32)/.test(encoding);
}

/** Office wraps an encrypted document in the container of its old formats (OLE2). */
function office97(bytes: Uint8Array): DocumentFailure {
  const encrypted = Buffer.from('EncryptedPackage', 'utf16le');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(encrypted)
    ? new DocumentFailure('ENCRYPTED', documentProblems.NEEDS_PASSWORD.reason({}))
    : unsupported(documentProblems.OLD_OFFICE.reason({}));
}

function unsupported(why: Reason): DocumentFailure {
  return new DocumentFailure('UNSUPPORTED_FORMAT', why);
}
