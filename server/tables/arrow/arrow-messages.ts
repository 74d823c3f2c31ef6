import { documentProblems, inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { readFully, type ReadAt } from '../lines.ts';
import { checkMetadata, isSchema } from './arrow-metadata.ts';
import { CompressedDataProblem } from '../compression/unpack-gauge.ts';
import { beginMessage, loadFooters, maxMessageBytes, tooLarge, type Arrow } from './arrow-library.ts';

const magic = Buffer.from('ARROW1');
const featherOne = Buffer.from('FEA1');
const maxMetadataBytes = 64 << 20;
const bodyBlockBytes = 4 << 20;
/** Length of the footer plus the magic bytes, at the end of a file. */
const tailBytes = 10;

/** `problem`: why the messages end before the file does. */
type Extent = { from: number; to: number; isFile: boolean; problem: Reason | undefined };

/** The continuation marker and a length of 0. */
const endOfStream = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

const cutOff = inputProblems.ARROW_CUT.reason({});

function problemOf(reason: Reason): CompressedDataProblem {
  return new CompressedDataProblem(reason, { keepsBefore: true });
}

/**
 * Yields the messages of Arrow data in both formats, as bytes for the library: between its magic bytes and its footer,
 * a file has the same messages as a stream. `onPosition` receives how far the file was read. Throws
 * CompressedDataProblem after the last complete message if some are missing.
 */
export function* messagesOf(
  { read, sizeBytes }: { read: ReadAt; sizeBytes: number },
  arrow: Arrow,
  onPosition: (at: number) => void,
): Generator<Uint8Array> {
  const { from, to, isFile, problem } = extentOf(read, sizeBytes);
  let at = from;
  for (;;) {
    onPosition(at);
    const prefix = bytesAt(read, at, Math.min(8, to - at));
    const head = new DataView(prefix.buffer);
    // Writers before Arrow 0.15 omit the continuation marker.
    const isMarked = prefix.length >= 4 && head.getInt32(0, true) === -1;
    const prefixBytes = isMarked ? 8 : 4;
    const isAtEnd = at === to || (prefix.length >= prefixBytes && head.getInt32(prefixBytes - 4, true) === 0);
    if (isAtEnd) {
      if (problem !== undefined) throw problemOf(problem);
      const end = at === to ? to : at + prefixBytes;
      if (!isFile && end < sizeBytes) throw problemOf(inputProblems.ARROW_OTHER_BYTES.reason({ start: end }));
      return;
    }
    if (prefix.length < prefixBytes) throw problemOf(cutOff);
    const metadataBytes = head.getInt32(prefixBytes - 4, true);
    if (metadataBytes < 0 || metadataBytes > maxMetadataBytes) {
      throw problemOf(at === from ? inputProblems.ARROW_NONE.reason({}) : inputProblems.ARROW_DAMAGED.reason({ at }));
    }
    const bodyAt = at + prefixBytes + metadataBytes;
    if (bodyAt > to) throw problemOf(problem ?? cutOff);
    const message = bytesAt(read, at, bodyAt - at);
    checkMetadata(message.subarray(prefixBytes));
    const bodyBytes = bodyLengthOf(arrow, message);
    if (bodyBytes > maxMessageBytes) throw tooLarge();
    if (bodyAt + bodyBytes > to) throw problemOf(problem ?? cutOff);
    // Arrow's own JavaScript writer puts the schema of a file only into the footer.
    if (at === from && isFile && !isSchema(message.subarray(prefixBytes))) {
      if (problem !== undefined) throw problemOf(problem);
      yield schemaOf(arrow, bytesAt(read, to, sizeBytes - tailBytes - to));
    }
    beginMessage();
    yield message;
    for (let done = 0; done < bodyBytes;) {
      const block = bytesAt(read, bodyAt + done, Math.min(bodyBlockBytes, bodyBytes - done));
      done += block.length;
      yield block;
    }
    at = bodyAt + bodyBytes;
  }
}

function extentOf(read: ReadAt, sizeBytes: number): Extent {
  const head = Buffer.from(bytesAt(read, 0, Math.min(8, sizeBytes)));
  if (head.length === 0) throw problemOf(documentProblems.FILE_IS_EMPTY.reason({}));
  if (head.subarray(0, 4).equals(featherOne)) throw problemOf(inputProblems.ARROW_FEATHER_1.reason({}));
  if (!head.subarray(0, magic.length).equals(magic))
    return { from: 0, to: sizeBytes, isFile: false, problem: undefined };
  const from = 8;
  const tail = Buffer.from(bytesAt(read, Math.max(from, sizeBytes - tailBytes), Math.min(tailBytes, sizeBytes - from)));
  if (tail.length < tailBytes || !tail.subarray(4).equals(magic)) {
    return {
      from,
      to: Math.max(from, sizeBytes),
      isFile: true,
      problem: inputProblems.ARROW_FOOTER_MISSING.reason({}),
    };
  }
  const footerAt = sizeBytes - tailBytes - tail.readInt32LE(0);
  if (footerAt < from || footerAt > sizeBytes - tailBytes)
    throw problemOf(inputProblems.ARROW_FOOTER_DAMAGED.reason({}));
  return { from, to: footerAt, isFile: true, problem: undefined };
}

/** The schema of a footer, as a message. */
function schemaOf({ RecordBatchStreamWriter }: Arrow, footer: Uint8Array): Uint8Array {
  const { schema } = loadFooters().decode(footer);
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  writer.finish();
  const stream = writer.toUint8Array(true);
  return stream.subarray(0, stream.length - endOfStream.length);
}

function bytesAt(read: ReadAt, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, length));
  readFully(read, bytes, at);
  return bytes;
}

function bodyLengthOf({ MessageReader }: Arrow, message: Uint8Array): number {
  const length = new MessageReader(message).readMessage()?.bodyLength ?? 0;
  if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`a message of ${length} bytes`);
  return length;
}
