/**
 * The compact protocol of Thrift, in which footers and page headers of Parquet files are written. Values keep their
 * wire types, so that a struct can be changed and written again with all fields that we don't know.
 */
export type ThriftStruct = Map<number, ThriftField>;

/** A value with its wire type. */
export type ThriftField =
  | { type: typeof wireTypes.true | typeof wireTypes.false }
  | { type: number; integer: bigint }
  | { type: typeof wireTypes.double; bytes: Buffer }
  | { type: typeof wireTypes.binary; bytes: Buffer }
  | { type: typeof wireTypes.list; itemType: number; items: ThriftField[] }
  | { type: typeof wireTypes.struct; struct: ThriftStruct };

export const wireTypes = {
  true: 1,
  false: 2,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
} as const;

const [byteType, setType, mapType] = [3, 10, 11];
const maxDepth = 64;

/** The bytes are no such struct. */
export class ThriftDamage extends Error {
  override readonly name = 'ThriftDamage';
}

/** Reads the struct at the beginning of `bytes`; returns its length, too. */
export function readThrift(bytes: Buffer): { struct: ThriftStruct; length: number } {
  let at = 0;

  function byte(): number {
    const value = bytes[at];
    if (value === undefined) throw new ThriftDamage('it ends early');
    at += 1;
    return value;
  }

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw new ThriftDamage('a number is too long');
  }

  function zigzag(): bigint {
    const value = varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  function take(length: number): Buffer {
    if (length > bytes.length - at) throw new ThriftDamage('it ends early');
    at += length;
    return bytes.subarray(at - length, at);
  }

  function list(depth: number): ThriftField {
    const head = byte();
    const itemType = head & 0x0f;
    const count = head >> 4 === 15 ? Number(varint()) : head >> 4;
    // Every item takes at least a byte.
    if (count > bytes.length - at) throw new ThriftDamage('a list is too long');
    const items: ThriftField[] = [];
    for (let index = 0; index < count; index += 1)
      items.push(itemType <= wireTypes.false ? truth(byte()) : value(itemType, depth + 1));
    return { type: wireTypes.list, itemType, items };
  }

  function truth(type: number): ThriftField {
    return { type: type === wireTypes.true ? wireTypes.true : wireTypes.false };
  }

  function value(type: number, depth: number): ThriftField {
    if (depth > maxDepth) throw new ThriftDamage('it is nested too deep');
    switch (type) {
      case wireTypes.true:
      case wireTypes.false:
        return truth(type);
      case wireTypes.double:
        return { type, bytes: take(8) };
      case wireTypes.binary:
        return { type, bytes: take(Number(varint())) };
      case wireTypes.list:
        return list(depth);
      case wireTypes.struct:
        return { type, struct: struct(depth + 1) };
      case byteType:
        return { type, integer: BigInt(byte()) };
      case setType:
      case mapType:
        throw new ThriftDamage(`it has a field of the type ${type}`);
      default:
        return { type, integer: zigzag() };
    }
  }

  function struct(depth: number): ThriftStruct {
    const fields: ThriftStruct = new Map();
    let id = 0;
    for (let head = byte(); head !== 0; head = byte()) {
      id = head >> 4 === 0 ? Number(zigzag()) : id + (head >> 4);
      fields.set(id, value(head & 0x0f, depth));
    }
    return fields;
  }

  return { struct: struct(0), length: at };
}

export function writeThrift(struct: ThriftStruct): Buffer {
  const parts: Buffer[] = [];

  function varint(value: bigint): void {
    const found: number[] = [];
    let left = BigInt.asUintN(64, value);
    for (; left >= 0x80n; left >>= 7n) found.push(Number(left & 0x7fn) | 0x80);
    found.push(Number(left));
    parts.push(Buffer.from(found));
  }

  function byte(value: number): void {
    parts.push(Buffer.from([value]));
  }

  function writeValue(field: ThriftField): void {
    if ('struct' in field) writeStruct(field.struct);
    else if ('items' in field) {
      const { items, itemType } = field;
      byte((Math.min(items.length, 15) << 4) | itemType);
      if (items.length >= 15) varint(BigInt(items.length));
      for (const item of items) {
        if (itemType <= wireTypes.false) byte(item.type);
        else writeValue(item);
      }
    } else if ('integer' in field) {
      if (field.type === byteType) byte(Number(field.integer));
      else varint((field.integer << 1n) ^ (field.integer >> 63n));
    } else if ('bytes' in field) {
      if (field.type === wireTypes.binary) varint(BigInt(field.bytes.length));
      parts.push(field.bytes);
    }
  }

  function writeStruct(fields: ThriftStruct): void {
    let before = 0;
    for (const [id, field] of [...fields].sort(([one], [other]) => one - other)) {
      const distance = id - before;
      if (distance > 0 && distance <= 15) byte((distance << 4) | field.type);
      else {
        byte(field.type);
        varint(BigInt(id) << 1n);
      }
      before = id;
      writeValue(field);
    }
    byte(0);
  }

  writeStruct(struct);
  return Buffer.concat(parts);
}

export function integerOf(struct: ThriftStruct, id: number): number | undefined {
  const field = struct.get(id);
  return field !== undefined && 'integer' in field ? Number(field.integer) : undefined;
}

export function structOf(struct: ThriftStruct, id: number): ThriftStruct | undefined {
  const field = struct.get(id);
  return field !== undefined && 'struct' in field ? field.struct : undefined;
}

/** The structs of a list; none if the field is missing. */
export function structsOf(struct: ThriftStruct, id: number): ThriftStruct[] {
  const field = struct.get(id);
  if (field === undefined || !('items' in field)) return [];
  return field.items.flatMap((item) => ('struct' in item ? [item.struct] : []));
}

export function textIn(struct: ThriftStruct, id: number): string {
  const field = struct.get(id);
  return field !== undefined && 'bytes' in field ? field.bytes.toString() : '';
}

export function setInteger(struct: ThriftStruct, id: number, value: number, type: 5 | 6 = wireTypes.i32): void {
  struct.set(id, { type, integer: BigInt(value) });
}

export function setText(struct: ThriftStruct, id: number, text: string): void {
  struct.set(id, { type: wireTypes.binary, bytes: Buffer.from(text) });
}
