import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
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
      if (size > maxBytes)
        throw new AnswerTooLarge(`the answer unpacks to more than the ${maxBytes} bytes that are allowed`);
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

/** The whole body of an answer, decompressed in the same way. Throws SourceError. */
export async function decodedBytes(answer: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of decodedBody(answer.body ?? Readable.from([]), answer, maxBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}
