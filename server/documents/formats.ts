import { documentProblems, type Reason } from '../kernel/sentences/index.ts';
/** Formats with a dedicated reader. */
export const documentFormats = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'odp',
  'ods',
  'rtf',
  'epub',
  'html',
  'eml',
] as const;

export type DocumentFormat = (typeof documentFormats)[number];

/** Display names of the formats. */
export const formatNames: Readonly<Record<DocumentFormat, Reason>> = {
  pdf: documentProblems.FORMAT_PDF.reason({}),
  docx: documentProblems.FORMAT_DOCX.reason({}),
  pptx: documentProblems.FORMAT_PPTX.reason({}),
  xlsx: documentProblems.FORMAT_XLSX.reason({}),
  odt: documentProblems.FORMAT_ODT.reason({}),
  odp: documentProblems.FORMAT_ODP.reason({}),
  ods: documentProblems.FORMAT_ODS.reason({}),
  rtf: documentProblems.FORMAT_RTF.reason({}),
  epub: documentProblems.FORMAT_EPUB.reason({}),
  html: documentProblems.FORMAT_HTML.reason({}),
  eml: documentProblems.FORMAT_EML.reason({}),
};

const extensions = new Map<string, DocumentFormat>([
  ...documentFormats.map((format) => [format, format] as const),
  ...Object.entries({
    docx: ['docm', 'dotx', 'dotm'],
    pptx: ['pptm', 'ppsx', 'ppsm', 'potx'],
    xlsx: ['xlsm', 'xltx', 'xltm'],
    odt: ['ott'],
    odp: ['otp'],
    ods: ['ots'],
    html: ['htm', 'xhtml'],
  }).flatMap(([format, names]) => names.map((name) => [name, format as DocumentFormat] as const)),
]);

/**
 * Extensions of Office 97. That format is not supported, but files with these extensions are often RTF, HTML or a newer
 * format.
 */
const legacyExtensions = new Set(['doc', 'dot', 'xls', 'xlt', 'ppt', 'pps', 'pot', 'msg']);

/** The format by file extension. */
export function findDocumentFormat(fileType: string): DocumentFormat | undefined {
  return extensions.get(fileType);
}

/** Whether a file with this extension is read as a document; its bytes then determine the format. */
export function isDocumentType(fileType: string): boolean {
  return extensions.has(fileType) || legacyExtensions.has(fileType);
}

const markdownExtensions = new Set(['md', 'markdown', 'mdown', 'mkd', 'mdx', 'rmd', 'qmd']);

/** Whether the text of such a file is Markdown: either converted from a document, or the file itself. */
export function isMarkdownType(fileType: string): boolean {
  return isDocumentType(fileType) || markdownExtensions.has(fileType);
}

/**
 * What the first bytes of a file indicate: a format, a ZIP that may contain several formats, or Office 97's container.
 */
export type Signature = 'pdf' | 'rtf' | 'html' | 'zip' | 'ole2';

/** Number of bytes at the beginning of a file that `findSignature` needs. */
export const signatureBytes = 1024;

/** The signature at the beginning of a file; undefined if there is none, as in an e-mail. */
export function findSignature(bytes: Uint8Array): Signature | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, signatureBytes));
  if (head.subarray(0, 4).equals(zipStart) || head.subarray(0, 4).equals(emptyZipStart)) return 'zip';
  if (head.subarray(0, 8).equals(ole2Start)) return 'ole2';
  const text = withoutMark(head).trimStart();
  if (text.startsWith('%PDF-')) return 'pdf';
  if (text.startsWith(String.raw`{\rtf`)) return 'rtf';
  return /^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html)\b/is.test(text) ? 'html' : undefined;
}

const zipStart = Buffer.from('PK\x03\x04', 'latin1');
const emptyZipStart = Buffer.from('PK\x05\x06', 'latin1');
const ole2Start = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** The beginning of a file as ASCII, without its byte order mark and the zeros of UTF-16. */
function withoutMark(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\0', '');
}

/** PNG, JPEG, GIF, TIFF, BMP, WebP, HEIC and AVIF. */
const pictureStart =
  /^(?:\u0089PNG\r\n|\u00ff\u00d8\u00ff|GIF8[79]a|II\*\0|MM\0\*|BM.{4}\0{4}|RIFF.{4}WEBP|.{4}ftyp(?:hei[cfmsx]|mif1|msf1|avi[fs]))/s;

/** Whether a file begins like a picture. */
export function isPicture(bytes: Uint8Array): boolean {
  return pictureStart.test(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1'));
}
