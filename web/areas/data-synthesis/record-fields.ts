/** A JSON Schema of an object, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

export const fieldTypes = ['string', 'integer', 'number', 'boolean', 'object', 'strings', 'objects'] as const;
/** The type of a field; OTHER is anything only the JSON can express, such as a reference or a choice of types. */
export type FieldType = (typeof fieldTypes)[number] | 'other';

export type RecordField = {
  name: string;
  type: FieldType;
  isRequired: boolean;
  description: string;
  /** The allowed texts; undefined for fields of other types. */
  values: readonly string[] | undefined;
  /** The fields within an object, or within each object of a list. */
  fields: readonly RecordField[] | undefined;
};

export type FieldChange = Partial<Pick<RecordField, 'name' | 'type' | 'isRequired' | 'description' | 'values'>>;

const typesByKind: Readonly<Record<(typeof fieldTypes)[number], Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  object: { type: 'object', properties: {} },
  strings: { type: 'array', items: { type: 'string' } },
  objects: { type: 'array', items: { type: 'object', properties: {} } },
};
/** Keywords that belong to the old type and are removed with it. */
const ofType = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum'];

/** The fields of a schema; undefined if it is not an object with properties. */
export function fieldsOf(schema: unknown): RecordField[] | undefined {
  if (!isSchema(schema) || typeOf(schema) !== 'object') return undefined;
  const required = requiredOf(schema);
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const type = typeOf(property);
    const { description, enum: values } = isSchema(property) ? property : {};
    const texts = Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : undefined;
    return {
      name,
      type,
      isRequired: required.includes(name),
      description: typeof description === 'string' ? description : '',
      values: type === 'string' && (values === undefined || texts !== undefined) ? (texts ?? []) : undefined,
      fields: fieldsOf(type === 'objects' ? (property as Schema)['items'] : property),
    };
  });
}

/** The schema with another required text field at its end. */
export function addField(schema: Schema | null): Schema {
  const base = schema ?? { type: 'object', properties: {}, required: [], additionalProperties: false };
  const properties = propertiesOf(base);
  let number = Object.keys(properties).length + 1;
  while (Object.hasOwn(properties, `field_${number}`)) number += 1;
  const name = `field_${number}`;
  return { ...base, properties: { ...properties, [name]: { type: 'string' } }, required: [...requiredOf(base), name] };
}

export function removeField(schema: Schema, name: string): Schema {
  const { [name]: _removed, ...properties } = propertiesOf(schema);
  return withRequired(
    { ...schema, properties },
    requiredOf(schema).filter((one) => one !== name),
  );
}

/** A schema with one field changed; everything that the field does not show is kept, in its place. */
export function changeField(schema: Schema, name: string, change: FieldChange): Schema {
  const named = change.name ?? name;
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([key, property]) =>
      key === name ? [named, changedProperty(property, change)] : [key, property],
    ),
  );
  const required = requiredOf(schema).map((one) => (one === name ? named : one));
  const isRequired = change.isRequired ?? required.includes(named);
  if (isRequired === required.includes(named)) return withRequired({ ...schema, properties }, required);
  const wanted = isRequired ? [...required, named] : required.filter((one) => one !== named);
  const known = Object.keys(properties);
  const inOrder = known.filter((one) => wanted.includes(one));
  return withRequired({ ...schema, properties }, [...inOrder, ...wanted.filter((one) => !known.includes(one))]);
}

/** A schema with the fields nested in one field changed. */
export function changeWithin(schema: Schema, name: string, change: (inner: Schema) => Schema): Schema {
  const properties = propertiesOf(schema);
  const property = properties[name];
  if (!isSchema(property)) return schema;
  const { items } = property;
  const next =
    typeOf(property) === 'objects' && isSchema(items) ? { ...property, items: change(items) } : change(property);
  return { ...schema, properties: { ...properties, [name]: next } };
}

function changedProperty(property: unknown, { type, description, values }: FieldChange): unknown {
  let next: Record<string, unknown> = isSchema(property) ? { ...property } : {};
  if (type !== undefined && type !== 'other' && type !== typeOf(property)) {
    const kept = Object.entries(next).filter(([keyword]) => !ofType.includes(keyword));
    next = { ...typesByKind[type], ...Object.fromEntries(kept) };
  }
  if (description !== undefined) next = withKeyword(next, 'description', description === '' ? undefined : description);
  if (values !== undefined) next = withKeyword(next, 'enum', values.length === 0 ? undefined : values);
  return next;
}

function withKeyword(schema: Schema, keyword: string, value: unknown): Record<string, unknown> {
  if (value !== undefined) return { ...schema, [keyword]: value };
  const { [keyword]: _old, ...others } = schema;
  return others;
}

function withRequired(schema: Schema, required: readonly string[]): Schema {
  return required.length === 0 && (schema['required'] === undefined || !isEmptyList(schema['required']))
    ? withKeyword(schema, 'required', undefined)
    : withKeyword(schema, 'required', required);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function typeOf(property: unknown): FieldType {
  if (!isSchema(property) || ['$ref', 'anyOf', 'const'].some((keyword) => property[keyword] !== undefined))
    return 'other';
  const { type, items, properties } = property;
  if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean') return type;
  if (type === 'object') return properties === undefined || isSchema(properties) ? 'object' : 'other';
  const of = type === 'array' ? typeOf(items) : 'other';
  return of === 'string' && !Object.hasOwn(items as Schema, 'enum') ? 'strings' : of === 'object' ? 'objects' : 'other';
}

function propertiesOf(schema: Schema): Readonly<Record<string, unknown>> {
  const { properties } = schema;
  return isSchema(properties) ? properties : {};
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
