/** The parts of the OpenAPI document that the Python client is generated from. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly string[];
  const?: unknown;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  description?: string;
};

export type Content = Readonly<Record<string, { schema: Schema }>>;

export type Parameter = {
  name: string;
  in: 'query' | 'path';
  required?: boolean;
  description?: string;
  schema: Schema;
};

export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
};

export type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

const keywords = new Set([
  'from',
  'in',
  'class',
  'def',
  'import',
  'is',
  'not',
  'or',
  'and',
  'global',
  'lambda',
  'pass',
]);

export const isKeyword = (name: string): boolean => keywords.has(name);

/** The Python name of a field such as `datasetId`. */
export function snakeCase(name: string): string {
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase();
  return isKeyword(words) ? `${words}_` : words;
}

/** All areas except data management and auth respond with an envelope: `{code, message, data}`. */
export const isEnvelope = (name: string): boolean => name.endsWith('Envelope');

/** The Python type of a schema; `prefix` is put before the names of models. */
export function typeOf(schema: Schema, prefix = ''): string {
  if (schema.$ref !== undefined) return `${prefix}${schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)}`;
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((each) => typeOf(each, prefix)));
  if (schema.enum !== undefined) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (schema.const === true || schema.const === false) return `Literal[${schema.const ? 'True' : 'False'}]`;
  if (schema.type === undefined) return 'Any';
  return union([schema.type].flat().map((type) => plainTypeOf(type, schema, prefix)));
}

function plainTypeOf(type: string, schema: Schema, prefix: string): string {
  if (type === 'string') return schema.format === 'binary' ? 'bytes' : 'str';
  if (type === 'integer') return 'int';
  if (type === 'number') return 'float';
  if (type === 'boolean') return 'bool';
  if (type === 'null') return 'None';
  if (type === 'array') return `List[${schema.items === undefined ? 'Any' : typeOf(schema.items, prefix)}]`;
  if (type !== 'object') throw new Error(`The Python client has no type for ${type}`);
  const { additionalProperties: others } = schema;
  if (schema.properties !== undefined) throw new Error('An object with properties needs a name');
  return `Dict[str, ${typeof others === 'object' ? typeOf(others, prefix) : 'Any'}]`;
}

const union = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  const others = all.filter((type) => type !== 'None');
  const [only = 'None'] = others;
  if (others.length === all.length) return all.length === 1 ? only : `Union[${all.join(', ')}]`;
  return others.length === 0 ? 'None' : `Optional[${others.length === 1 ? only : `Union[${others.join(', ')}]`}]`;
};

/** Text as the lines of a comment or docstring, at most `width` wide. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + word.length + 1 > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

export const generated = '# Made from the OpenAPI document by `npm run docs`; do not edit.';
