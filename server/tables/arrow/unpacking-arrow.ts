import { inputProblems } from '../../kernel/sentences/index.ts';
import { FileEnds, type ReadAt } from '../lines.ts';
import { CompressedDataProblem, createUnpackGauge, type UnpackLimits } from '../compression/unpack-gauge.ts';
import { loadArrow } from './arrow-library.ts';
import { messagesOf } from './arrow-messages.ts';
import { createValueWriters, type InvalidTexts } from './arrow-values.ts';

const blockCharacters = 1 << 20;

/**
 * Writes the rows of Arrow data, files or streams, as JSON Lines: values as from the Parquet reader, except NaN and
 * infinities. Holds one record batch in memory. Throws CompressedDataProblem after the rows that could be read.
 */
export function unpackArrow(
  source: { read: ReadAt; sizeBytes: number },
  limits: UnpackLimits,
  write: (bytes: Uint8Array) => void,
): void {
  const arrow = loadArrow();
  const gauge = createUnpackGauge(limits);
  const invalid: InvalidTexts = { bytes: [] };
  const { writerOf } = createValueWriters(arrow, invalid);
  let position = 0;
  let pending: string[] = [];
  let pendingLength = 0;
  /** The error that `write` threw. */
  let outside: unknown;
  /** Why messages can't be read any further. */
  let broken: { by: unknown } | undefined;

  /**
   * Ends without an error where messages can't be read any further: the library reads ahead of the batch that it
   * returns.
   */
  function* wholeMessages(): Generator<Uint8Array> {
    try {
      yield* messagesOf(source, arrow, (at) => {
        position = at;
      });
    } catch (error) {
      broken = { by: error };
    }
  }

  function put(bytes: Uint8Array): void {
    gauge.add(bytes.length, position);
    try {
      write(bytes);
    } catch (error) {
      outside = error;
      throw error;
    }
  }

  function flush(): void {
    if (pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    pendingLength = 0;
    put(Buffer.from(text));
  }

  function putRow(row: string): void {
    if (invalid.bytes.length > 0) {
      flush();
      put(withInvalid(row, invalid.bytes));
      invalid.bytes = [];
      return;
    }
    pending.push(row);
    pendingLength += row.length;
    if (pendingLength >= blockCharacters) flush();
  }

  try {
    for (const batch of arrow.RecordBatchReader.from(wholeMessages())) {
      const { fields } = batch.schema;
      refuseTwice(fields.map(({ name }) => name));
      // An empty batch may lack its buffers.
      if (batch.numRows === 0) continue;
      const columns = fields.map((field, number) => {
        const data = batch.data.children[number];
        if (data === undefined || data.length < batch.numRows)
          throw new RangeError(`the column ${field.name} has too few values`);
        return { name: JSON.stringify(field.name), write: writerOf(data, field) };
      });
      for (let row = 0; row < batch.numRows; row += 1)
        putRow(`{${columns.map((column) => `${column.name}:${column.write(row)}`).join(',')}}\n`);
    }
    if (broken !== undefined) throw broken.by;
    flush();
  } catch (thrown) {
    if (thrown === outside && outside !== undefined) throw thrown;
    const error = broken === undefined ? thrown : broken.by;
    if (error instanceof FileEnds) throw error;
    const isOverLimit = error instanceof CompressedDataProblem && !error.keepsBefore;
    if (!isOverLimit) flush();
    if (error instanceof CompressedDataProblem) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CompressedDataProblem(inputProblems.ARROW_UNREADABLE.reason({ why: message }), { keepsBefore: true });
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new CompressedDataProblem(inputProblems.ARROW_COLUMN_TWICE.reason({ column: JSON.stringify(twice) }), {
      keepsBefore: true,
    });
}

/** A row with the raw bytes of its invalid texts; reading it as UTF-8 then fails for this row. */
function withInvalid(row: string, texts: readonly Uint8Array[]): Uint8Array {
  const parts = row.split('\u0000');
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : (texts[Number(part)] ?? new Uint8Array()))),
  );
}
