/** Header types of a message. */
const headers = { schema: 1, dictionary: 2, records: 3 } as const;
const structBytes = 16;

/**
 * Checks what the library does not check in a message's metadata (a flatbuffer): the byte order, and that lists are no
 * longer than the metadata. Throws RangeError.
 */
export function checkMetadata(metadata: Uint8Array): void {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  const message = view.getUint32(0, true);
  const headerType = fieldAt(view, message, 1);
  const header = referenceAt(view, message, 2);
  if (headerType === undefined || header === undefined) throw new RangeError('a message without a header');
  switch (view.getUint8(headerType)) {
    case headers.schema: {
      const order = fieldAt(view, header, 0);
      if (order !== undefined && view.getInt16(order, true) !== 0)
        throw new RangeError('it is big-endian; write it anew on a little-endian machine');
      break;
    }
    case headers.dictionary: {
      const records = referenceAt(view, header, 1);
      if (records !== undefined) checkRecords(view, records);
      break;
    }
    case headers.records:
      checkRecords(view, header);
      break;
  }
}

/** Whether a message holds a schema. */
export function isSchema(metadata: Uint8Array): boolean {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  const headerType = fieldAt(view, view.getUint32(0, true), 1);
  return headerType !== undefined && view.getUint8(headerType) === headers.schema;
}

/** Checks the lists of column lengths and buffer positions. */
function checkRecords(view: DataView, records: number): void {
  for (const field of [1, 2]) {
    const list = referenceAt(view, records, field);
    if (list !== undefined && list + 4 + view.getUint32(list, true) * structBytes > view.byteLength)
      throw new RangeError('a list in its metadata is longer than it');
  }
}

/** Position of a field in a table; undefined if the field is absent. */
function fieldAt(view: DataView, table: number, field: number): number | undefined {
  const fields = table - view.getInt32(table, true);
  const place = 4 + 2 * field;
  const offset = place < view.getUint16(fields, true) ? view.getUint16(fields + place, true) : 0;
  return offset === 0 ? undefined : table + offset;
}

/** Position of the table or list that a field refers to. */
function referenceAt(view: DataView, table: number, field: number): number | undefined {
  const at = fieldAt(view, table, field);
  return at === undefined ? undefined : at + view.getUint32(at, true);
}
