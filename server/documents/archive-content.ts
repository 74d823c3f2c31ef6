import { fromBufferPromise, type Entry } from 'yauzl';
import { documentProblems, type Reason } from '../kernel/sentences/index.ts';
import type { DocumentFormat } from './formats.ts';
import { DocumentFailure, type DocumentLimits } from './receipt.ts';

/** What the central directory of a ZIP-based document shows before anything is unpacked. */
export type ArchiveContent = {
  /** The format that its media type names. */
  format: DocumentFormat | undefined;
  /** Whether it has the parts of OpenDocument; the exact format follows from its first entry or its name. */
  isOpenDocument: boolean;
  /** Whether it has the container part of an EPUB. */
  hasContainer: boolean;
};

/** OpenDocument has several variants of each kind: `text-template`, `text-master`, `text-web` … */
const mediaTypes: readonly (readonly [mediaType: RegExp, format: DocumentFormat])[] = [
  [/^application\/epub\+zip$/, 'epub'],
  [/^application\/vnd\.oasis\.opendocument\.text(?:-[a-z]+)?$/, 'odt'],
  [/^application\/vnd\.oasis\.opendocument\.presentation(?:-[a-z]+)?$/, 'odp'],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet(?:-[a-z]+)?$/, 'ods'],
];

/** Throws DocumentFailure if the archive is damaged, too large or encrypted. */
export async function readArchiveContent(bytes: Uint8Array, limits: DocumentLimits): Promise<ArchiveContent> {
  const content: ArchiveContent = { format: undefined, isOpenDocument: false, hasContainer: false };
  let unpackedBytes = 0;
  let packedBytes = 0;
  let entries = 0;
  const mediaType = readMediaType(bytes);
  content.format = mediaTypes.find(([pattern]) => pattern.test(mediaType))?.[1];
  for await (const { fileName, uncompressedSize, compressedSize, generalPurposeBitFlag } of listEntries(bytes)) {
    entries += 1;
    unpackedBytes += uncompressedSize;
    packedBytes += compressedSize;
    if (entries > limits.maxEntries) throw tooLarge(documentProblems.MORE_PARTS.reason({ limit: limits.maxEntries }));
    if (unpackedBytes > limits.maxUnpackedBytes) {
      throw tooLarge(documentProblems.UNPACKS_TO_MORE.reason({ limit: limits.maxUnpackedBytes }));
    }
    if (packedBytes > bytes.length) throw new DocumentFailure('DAMAGED', documentProblems.PARTS_OVERLAP.reason({}));
    if ((generalPurposeBitFlag & 1) === 1)
      throw new DocumentFailure('ENCRYPTED', documentProblems.NEEDS_PASSWORD.reason({}));
    if (fileName === 'META-INF/container.xml') content.hasContainer = true;
    if (fileName === 'content.xml') content.isOpenDocument = true;
  }
  return content;
}

async function* listEntries(bytes: Uint8Array): AsyncGenerator<Entry> {
  try {
    // Sizes are checked when an entry is unpacked; a wrong size is no reason to fail here.
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      lazyEntries: true,
      validateEntrySizes: false,
    });
    yield* zip.eachEntry();
  } catch (error) {
    if (error instanceof DocumentFailure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentFailure('DAMAGED', documentProblems.CUT_OR_DAMAGED.reason({ why }), { cause: error });
  }
}

/**
 * Reads the media type as in OCF and OpenDocument: the first entry is named `mimetype`, is stored uncompressed, and
 * contains only the type. Empty if there is no such entry.
 */
function readMediaType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512));
  if (head.length < 38 || head.toString('latin1', 30, 38) !== 'mimetype') return '';
  const start = 38 + head.readUInt16LE(28);
  const end = head.indexOf('PK', start, 'latin1');
  return head.toString('latin1', start, end === -1 ? start : end).trim();
}

function tooLarge(why: Reason): DocumentFailure {
  return new DocumentFailure('TOO_LARGE', why);
}
