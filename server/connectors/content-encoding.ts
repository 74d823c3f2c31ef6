import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib';
import { SourceError } from './connector.ts';
import { sourceSentences } from './sentences.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** An answer whose decompressed size exceeds the limit. */
export class AnswerTooLarge extends SourceError {}

/** The body, decompressed if the server compressed it unasked; nothing else is unpacked. Throws SourceError. */
export async function* decodedBody(
  bytes: AsyncIterable<Uint8Array>,
  { headers }: Pick<Response, 'headers'>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return yield* bytes;
  const open = decoders[encoding];
  if (open === undefined) throw new SourceError(sourceSentences.ENCODED_OTHERWISE.reason({ encoding }));
  let failure: Error | undefined;
  const source = Readable.from(bytes, { objectMode: false });
  source.on('error', (error) => (failure = error));
  const decoder = pipeline(source, open(), () => {});
  let size = 0;
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > maxBytes) throw new AnswerTooLarge(sourceSentences.UNPACKS_TOO_MUCH.reason({ limit: maxBytes }));
      yield piece;
    }
  } catch (error) {
    if (failure !== undefined) throw failure;
    if (error instanceof SourceError) throw error;
    throw new SourceError(sourceSentences.NOT_UNPACKABLE.reason({ encoding }), { cause: error });
  } finally {
    source.destroy();
  }
}

/** The name of a file, and how large it may become when it is unpacked. */
export type NamedFile = { name: string; maxBytes: number };

/** Extensions of files that are compressed as such, by the encodings whose name servers send with them. */
const ownEncodings: readonly (readonly [encoding: RegExp, name: RegExp])[] = [
  [/^(?:x-)?gzip$/, /\.(?:gz|gzip|tgz|taz|svgz|emz|wmz|cpgz)$/i],
  [/^br$/, /\.br$/i],
  [/^zstd$/, /\.(?:zst|zstd|tzst)$/i],
  [/^(?:x-)?bzip2$/, /\.(?:bz2|tbz2?)$/i],
  [/^(?:x-)?compress$/, /\.(?:z|taz)$/i],
];

/**
 * The bytes that a file's name promises: a compressed file that is served with its own compression as the encoding stays as
 * it is, unless it was compressed once more for the transfer. Throws SourceError.
 */
export async function* fileBody(
  bytes: AsyncIterable<Uint8Array>,
  answer: Pick<Response, 'headers'>,
  { name, maxBytes }: NamedFile,
): AsyncGenerator<Uint8Array> {
  const encoding = answer.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  const isOwn = ownEncodings.some(([own, extension]) => own.test(encoding) && extension.test(name));
  if (!isOwn) return yield* decodedBody(bytes, answer, maxBytes);
  const pieces = bytes[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  for (let size = 0; size < 1024;) {
    const next = await pieces.next();
    if (next.done === true) break;
    start.push(next.value);
    size += next.value.length;
  }
  const all = rejoined(start, pieces);
  if (encoding.endsWith('gzip') && isGzipTwice(Buffer.concat(start))) yield* decodedBody(all, answer, maxBytes);
  else yield* all;
}

async function* rejoined(start: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Whether bytes that begin a file of gzip have another one inside. */
function isGzipTwice(start: Buffer): boolean {
  try {
    const inside = gunzipSync(start.subarray(0, 65_536), { finishFlush: constants.Z_SYNC_FLUSH });
    return inside[0] === 0x1f && inside[1] === 0x8b && inside[2] === 8;
  } catch {
    return false;
  }
}

/** The whole body of an answer, decompressed in the same way. Throws SourceError. */
export async function decodedBytes(answer: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of decodedBody(answer.body ?? Readable.from([]), answer, maxBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}
