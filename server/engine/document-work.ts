import { fileNameOf } from '../kernel/file-path.ts';
import type { SampleFormat } from '../tables/formats.ts';
import { readFully, type ReadAt } from '../tables/lines.ts';
import { decodeText, type DecodedText } from '../tables/text.ts';
import type { PieceOutput, PlacedPiece } from './shard.ts';
import type { Desk } from './desk.ts';

/** What is known of a document before it is read. */
export type DocumentSource = { format: SampleFormat; read: ReadAt } | { problem: string };

/** A whole file as one sample; what can't be read as text is one failed sample. The result is UTF-8 without a byte order mark. */
export function processDocument(desk: Desk, piece: PlacedPiece, index: number, source: DocumentSource): PieceOutput[] {
  const outputs: PieceOutput[] = [];
  let decoded: DecodedText | undefined;
  desk.sample({
    piece: index,
    row: null,
    read: () => {
      if ('problem' in source) return source;
      const read = readDocument(piece, source, desk.job.limits.maxDocumentBytes);
      if (!('problem' in read)) decoded = read;
      return read;
    },
    write: ({ verdict, texts }) => {
      const passes = verdict === 'FAILED' && desk.job.treatment.onError === 'KEEP' && piece.blobId !== null;
      const isSame = verdict === 'KEPT' && decoded?.encoding === 'utf-8' && !decoded.byteOrderMark;
      if (passes || isSame) {
        outputs.push({ path: piece.path, from: 'source', start: 0, end: piece.sizeBytes });
        return 1;
      }
      for (const [number, text] of texts.entries()) {
        const start = desk.bytes.length;
        desk.bytes.append(Buffer.from(text));
        const path = texts.length === 1 ? piece.path : partPath(piece.path, number + 1);
        outputs.push({ path, from: 'result', start, end: desk.bytes.length });
      }
      return texts.length;
    },
  });
  return outputs;
}

function readDocument(
  piece: PlacedPiece,
  { format, read }: { format: SampleFormat; read: ReadAt },
  maxBytes: number,
): DecodedText | { problem: string } {
  if (format === 'unsupported') return unsupported(piece, 'is no plain text');
  if (piece.sizeBytes > maxBytes) {
    return { problem: `the document of ${piece.sizeBytes} bytes is over the limit of ${maxBytes}` };
  }
  const bytes = new Uint8Array(piece.sizeBytes);
  readFully(read, bytes, 0);
  return decodeText(bytes, format === 'text') ?? unsupported(piece, 'holds bytes that are no text');
}

function unsupported(piece: PlacedPiece, why: string): { problem: string } {
  return { problem: `UNSUPPORTED_FORMAT: ${fileNameOf(piece.path)} ${why}` };
}

/** Where the parts of a split document go: `a/b.txt` → `a/b.part-0001.txt`. */
function partPath(path: string, number: number): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  const stemEnd = path.length - name.length + (dot <= 0 ? name.length : dot);
  return `${path.slice(0, stemEnd)}.part-${String(number).padStart(4, '0')}${path.slice(stemEnd)}`;
}
