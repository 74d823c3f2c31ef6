import { literal } from '../parquet/text-patterns.ts';

/** A DuckDB type, parsed into its parts. */
type Shape =
  | { kind: 'scalar'; type: string }
  | { kind: 'list'; item: Shape }
  | { kind: 'map'; key: Shape; value: Shape }
  | { kind: 'struct'; members: { name: string; shape: Shape }[] };

/** Types whose JSON the library writes as it is shown; only the quotes around whole numbers beyond 2^53 are missing. */
const plainTypes = /^(?:VARCHAR|BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|JSON)$/;
/** Names that can't be confused with the text of a value. */
const plainName = /^\w[\w .-]*$/;

/**
 * A floating-point number with the digits of JSON.stringify: the library writes exponents differently, and adds `.0`.
 */
export function numberTextOf(sql: string, type: 'DOUBLE' | 'FLOAT'): string {
  // A 32-bit number has its own shortest digits.
  const number = type === 'FLOAT' ? `cast(cast(${sql} as varchar) as double)` : sql;
  const text = `cast(${number} as varchar)`;
  const size = `abs(${number})`;
  const minus = `case when ${number} < 0 then '-' else '' end`;
  const digits = `regexp_replace(split_part(${text}, 'e', 1), '[-.]', '', 'g')`;
  const isMinusZero = `(${number} = 0 and signbit(${number}))`;
  // The most frequent cases come first.
  return `case
    when ${size} >= 1e-4 and ${size} < 1e16 and ${number} <> trunc(${number}) then ${text}
    when ${size} < 1e16 and ${number} = trunc(${number}) and not ${isMinusZero} then cast(cast(${number} as bigint) as varchar)
    when isnan(${number}) then 'NaN'
    when isinf(${number}) then ${minus} || 'Infinity'
    when ${size} >= 1e21 or (${size} < 1e-6 and ${number} <> 0) then regexp_replace(${text}, 'e([-+])0', 'e\\1')
    when ${size} >= 1e16 then ${minus} || rpad(${digits}, 1 + cast(split_part(${text}, 'e+', 2) as integer), '0')
    when ${size} < 1e-4 and ${number} <> 0 then ${minus} || case when ${size} < 1e-5 then '0.00000' else '0.0000' end || ${digits}
    else ${text} end`;
}

/**
 * The JSON of a list, an object or a map as shown to users: no spaces, numbers as in JavaScript. `hasAllMembers`: null
 * members are written, as in Parquet; in other tables a null may mean that the row lacks the member.
 */
export function nestedTextOf(sql: string, type: string, hasAllMembers: boolean): string {
  const shape = parseShape(type);
  return shape === undefined ? `cast(to_json(${sql}) as varchar)` : jsonOf(sql, shape, { hasAllMembers, depth: 0 });
}

type Writing = { hasAllMembers: boolean; depth: number };

function jsonOf(sql: string, shape: Shape, writing: Writing): string {
  if (isPlain(shape, writing)) return plainJsonOf(sql, shape, writing);
  switch (shape.kind) {
    case 'scalar':
      return scalarJsonOf(sql, shape.type);
    case 'list': {
      const name = `item${writing.depth}`;
      const item = jsonOf(name, shape.item, { ...writing, depth: writing.depth + 1 });
      const items = `list_transform(${sql}, lambda ${name}: coalesce(${item}, 'null'))`;
      return `('[' || array_to_string(${items}, ',') || ']')`;
    }
    case 'map': {
      const members = [
        { name: 'key', shape: shape.key },
        { name: 'value', shape: shape.value },
      ];
      const entries: Shape = { kind: 'list', item: { kind: 'struct', members } };
      return jsonOf(`map_entries(${sql})`, entries, { ...writing, hasAllMembers: true });
    }
    case 'struct': {
      const members = shape.members.map(({ name, shape: member }, place) => {
        const json = jsonOf(`struct_extract_at(${sql}, ${place + 1})`, member, writing);
        return `${literal(`${JSON.stringify(name)}:`)} || ${writing.hasAllMembers ? `coalesce(${json}, 'null')` : json}`;
      });
      return `case when ${sql} is not null then '{' || concat_ws(',', ${members.join(', ')}) || '}' end`;
    }
  }
}

function scalarJsonOf(sql: string, type: string): string {
  if (type === 'DOUBLE' || type === 'FLOAT') {
    const text = numberTextOf(sql, type);
    // Numbers that JSON parsers would change are shown as texts.
    const isPlainNumber = `isfinite(${sql}) and not (${sql} = 0 and signbit(${sql}))`;
    return `case when ${isPlainNumber} then ${text} else '"' || ${text} || '"' end`;
  }
  const text = `cast(${sql} as varchar)`;
  return `cast(to_json(${text}) as varchar)`;
}

/** Lets the library write the JSON of the whole value, which takes a fraction of the time. */
function plainJsonOf(sql: string, shape: Shape, { hasAllMembers }: Writing): string {
  const json = `cast(to_json(${sql}) as varchar)`;
  const names = hasAllMembers ? [] : namesOf(shape);
  if (names.length === 0) return json;
  const nothing = `"(?:${[...new Set(names)].map((name) => name.replaceAll('.', '\\.')).join('|')})":null`;
  const without = (text: string, pattern: string): string => `regexp_replace(${text}, ${literal(pattern)}, '', 'g')`;
  return without(without(json, `,${nothing}`), `${nothing},?`);
}

function namesOf(shape: Shape): string[] {
  switch (shape.kind) {
    case 'list':
      return namesOf(shape.item);
    case 'struct':
      return shape.members.flatMap((member) => [member.name, ...namesOf(member.shape)]);
    default:
      return [];
  }
}

function isPlain(shape: Shape, writing: Writing): boolean {
  switch (shape.kind) {
    case 'scalar':
      return plainTypes.test(shape.type);
    case 'list':
      return isPlain(shape.item, writing);
    case 'map':
      return false;
    case 'struct':
      return shape.members.every(
        (member) => (writing.hasAllMembers || plainName.test(member.name)) && isPlain(member.shape, writing),
      );
  }
}

/** A word, a quoted name, or a punctuation mark. */
const token = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[^\s"'(),[\]]+|[(),[\]]/g;

/** Undefined if the type does not follow this grammar. */
export function parseShape(type: string): Shape | undefined {
  const tokens = type.match(token) ?? [];
  let at = 0;

  function take(wanted: string): boolean {
    if (tokens[at] !== wanted) return false;
    at += 1;
    return true;
  }

  function parse(): Shape | undefined {
    let shape = parseInner();
    while (shape !== undefined && take('[')) {
      // The length of a fixed-size list.
      if (tokens[at] !== ']') at += 1;
      if (!take(']')) return undefined;
      shape = { kind: 'list', item: shape };
    }
    return shape;
  }

  function parseInner(): Shape | undefined {
    const word = tokens[at] ?? '';
    at += 1;
    if (word === 'STRUCT' && take('(')) return parseStruct();
    if (word === 'MAP' && take('(')) return parseMap();
    if (!/^[A-Z]/.test(word) || word === 'UNION') return undefined;
    const words = [word];
    if (take('(')) {
      while (at < tokens.length && tokens[at] !== ')') at += 1;
      if (!take(')')) return undefined;
    }
    for (; /^[A-Z]+$/.test(tokens[at] ?? ''); at += 1) words.push(tokens[at] ?? '');
    return { kind: 'scalar', type: words.join(' ') };
  }

  function parseStruct(): Shape | undefined {
    const members: { name: string; shape: Shape }[] = [];
    do {
      const name = tokens[at] ?? '';
      at += 1;
      const shape = parse();
      if (shape === undefined) return undefined;
      members.push({ name: name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name, shape });
    } while (take(','));
    return take(')') ? { kind: 'struct', members } : undefined;
  }

  function parseMap(): Shape | undefined {
    const key = parse();
    if (key === undefined || !take(',')) return undefined;
    const value = parse();
    return value !== undefined && take(')') ? { kind: 'map', key, value } : undefined;
  }

  const shape = parse();
  return at === tokens.length ? shape : undefined;
}

/**
 * Casts the 32-bit numbers within a value to doubles with the same decimal digits, which the library's JSON does not
 * keep.
 */
export function withoutFloats(sql: string, type: string): string {
  const asType = (other: string): string =>
    type.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\bFLOAT\b/g, (part) => (part === 'FLOAT' ? other : part));
  return asType('DOUBLE') === type ? sql : `cast(cast(${sql} as ${asType('VARCHAR')}) as ${asType('DOUBLE')})`;
}
