import type { SampleFormat } from '../../../tables/formats.ts';
import type { CardTable } from '../schemas/cards.ts';
import { parseColumnType, type TypeTree } from './column-types.ts';

/** A field of a record set; with `subField` it is an object, or a list of objects if it is repeated. */
export type CroissantField = {
  '@type': 'cr:Field';
  '@id': string;
  name: string;
  description: string;
  dataType?: string;
  repeated?: boolean;
  source?: { fileObject: { '@id': string }; extract: object; transform?: object[] };
  subField?: CroissantField[];
};

/** The file of a table, by its id in the document. */
export type FieldSource = { fileId: string; format: SampleFormat };

const integers = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/;
const floats = /^(?:FLOAT|DOUBLE|DECIMAL.*)$/;
const texts = /^(?:VARCHAR|BLOB|ENUM.*)$/;

/** The schema.org type of a value; undefined if readers support none for it. */
function dataTypeOf(name: string): string | undefined {
  if (name === 'BOOLEAN') return 'sc:Boolean';
  if (integers.test(name)) return 'sc:Integer';
  if (floats.test(name)) return 'sc:Float';
  if (name === 'DATE' || name.startsWith('TIMESTAMP')) return 'sc:Date';
  if (name === 'TIME') return 'sc:Time';
  return texts.test(name) ? 'sc:Text' : undefined;
}

/** Names of columns whose texts and numbers JSON Lines readers convert to times where they can. */
const timeNames = /(?:_at|_time)$|^(?:modified|date|datetime)$|^timestamp/i;

function becomesTime(name: string, type: TypeTree): boolean {
  return timeNames.test(name) && type.kind === 'scalar' && type.name !== 'BOOLEAN';
}

/** The fields of a table, and the columns left out, with the reason. */
export function fieldsOf(
  { columns }: Pick<CardTable, 'columns'>,
  recordsId: string,
  source: FieldSource,
): { fields: CroissantField[]; without: string[] } {
  const fields: CroissantField[] = [];
  const unread: string[] = [];
  let unnamed = 0;
  // Parquet readers can't tell columns of the same name apart.
  const twice = new Set(source.format === 'parquet' ? columns.map(({ given }) => given) : []);
  for (const { name, given, type } of columns) {
    if (name === '' || given !== undefined || twice.has(name)) {
      unnamed += 1;
      continue;
    }
    const parsed = parseColumnType(type);
    const extract = source.format === 'json' ? { jsonPath: '$[*]' } : { column: name };
    const field =
      source.format === 'jsonl' && becomesTime(name, parsed)
        ? undefined
        : fieldOf(parsed, {
            id: `${recordsId}/field-${fields.length + 1}`,
            name,
            description: type,
            fileId: source.fileId,
            extract,
            path: source.format === 'json' ? [name] : [],
            isInList: false,
          });
    if (field === undefined) unread.push(name);
    else fields.push(field.field);
    if (field !== undefined) unread.push(...field.without.map((inner) => `${name}.${inner}`));
  }
  return {
    fields,
    without: [
      ...(unnamed === 0 ? [] : [`Without ${unnamed} columns that have no name of their own`]),
      ...(unread.length === 0
        ? []
        : [`Without ${unread.join(', ')}: readers of Croissant have no type for these values`]),
    ],
  };
}

type Place = {
  id: string;
  name: string;
  description: string;
  fileId: string;
  extract: object;
  /** Member names that lead from the extracted column to the value. */
  path: readonly string[];
  /** Readers don't support a list of objects within another list. */
  isInList: boolean;
};

/** Undefined if readers would find no value in the field. */
function fieldOf(type: TypeTree, place: Place): { field: CroissantField; without: string[] } | undefined {
  const { id, name, description, fileId, extract, path } = place;
  const isList = type.kind === 'list';
  const value = isList ? type.item : type;
  const basis = { '@type': 'cr:Field', '@id': id, name, description, ...(isList ? { repeated: true } : {}) } as const;
  if (value.kind === 'object') {
    if (isList && place.isInList) return undefined;
    const subField: CroissantField[] = [];
    const without: string[] = [];
    for (const member of value.fields) {
      const inner = fieldOf(member.type, {
        ...place,
        id: `${id}/${subField.length + 1}`,
        name: member.name,
        description: member.name,
        path: [...path, member.name],
        isInList: place.isInList || isList,
      });
      if (inner === undefined) without.push(member.name);
      else subField.push(inner.field);
      without.push(...(inner?.without.map((name) => `${member.name}.${name}`) ?? []));
    }
    return subField.length === 0 ? undefined : { field: { ...basis, subField }, without };
  }
  const dataType = dataTypeOf(innermostOf(value));
  if (dataType === undefined) return undefined;
  const transform = path.map((step) => ({ jsonPath: `$[${JSON.stringify(step)}]` }));
  const source = { fileObject: { '@id': fileId }, extract, ...(transform.length === 0 ? {} : { transform }) };
  return { field: { ...basis, dataType, source }, without: [] };
}

/** The element type of lists within lists. */
function innermostOf(type: TypeTree): string {
  if (type.kind === 'list') return innermostOf(type.item);
  return type.kind === 'scalar' ? type.name : 'STRUCT';
}
