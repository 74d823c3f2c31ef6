import { readArchiveContent } from './archive-content.ts';
import { findDocumentFormat, findSignature, formatNames, signatureBytes, type DocumentFormat } from './formats.ts';
import { DocumentFailure, type DocumentLimits } from './receipt.ts';

export type DetectedFormat = {
  format: DocumentFormat;
  /** Number of slides of a PowerPoint presentation. */
  slides: number | null;
  warnings: string[];
};

/** The format of a document by its bytes, regardless of its name; throws DocumentFailure for unsupported formats. */
export async function detectFormat(
  bytes: Uint8Array,
  fileType: string,
  limits: DocumentLimits,
): Promise<DetectedFormat> {
  if (bytes.length === 0) throw new DocumentFailure('NO_TEXT', 'the file is empty');
  const named = findDocumentFormat(fileType);
  const { format, slides } = await formatOf(bytes, named, limits);
  const warnings = named === format ? [] : [`named .${fileType}, but ${formatNames[format]} by its content`];
  return { format, slides, warnings };
}

async function formatOf(
  bytes: Uint8Array,
  named: DocumentFormat | undefined,
  limits: DocumentLimits,
): Promise<{ format: DocumentFormat; slides: number | null }> {
  // ISO 32000 requires a PDF's header first; Acrobat, and so most software, accepts it anywhere in the first 1,024
  // bytes.
  const isLatePdf = named === 'pdf' && Buffer.from(bytes.subarray(0, signatureBytes)).includes('%PDF-');
  const signature = findSignature(bytes) ?? (isLatePdf ? 'pdf' : undefined);
  if (signature === 'zip') {
    const { format: declared, slides, isOpenDocument } = await readArchiveContent(bytes, limits);
    const format = declared ?? (isOpenDocument && named !== undefined && openDocument.has(named) ? named : undefined);
    if (format === undefined) throw unsupported('it is a ZIP archive, but none of a document');
    return { format, slides: format === 'pptx' ? slides : null };
  }
  if (signature === 'ole2') throw office97(bytes);
  if (signature !== undefined) return { format: signature, slides: null };
  // HTML and e-mail need no signature; the other formats here do.
  const isText = !Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).includes(0);
  if ((named === 'html' || named === 'eml') && (isText || hasUtf16Mark(bytes))) return { format: named, slides: null };
  if (named === undefined) throw unsupported('its bytes are of no document that can be read');
  throw new DocumentFailure(
    'DAMAGED',
    `it does not begin like ${formatNames[named]}: cut off, damaged, or something else`,
  );
}

const openDocument = new Set<DocumentFormat>(['odt', 'odp', 'ods']);

function hasUtf16Mark(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Office wraps an encrypted document in the container of its old formats (OLE2). */
function office97(bytes: Uint8Array): DocumentFailure {
  const encrypted = Buffer.from('EncryptedPackage', 'utf16le');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(encrypted)
    ? new DocumentFailure('ENCRYPTED', 'it needs a password')
    : unsupported('it is in a format of Office 97 to 2003; save it as docx, xlsx, pptx (a message as eml)');
}

function unsupported(why: string): DocumentFailure {
  return new DocumentFailure('UNSUPPORTED_FORMAT', why);
}
