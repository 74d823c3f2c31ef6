/** One field of a form generated from a JSON Schema. */
export type Field = {
  name: string;
  label: string;
  help: string | undefined;
  required: boolean;
  default: unknown;
} & (
  | { kind: 'boolean' }
  | { kind: 'number'; isInteger: boolean; min: number | undefined; max: number | undefined; step: number | undefined }
  | { kind: 'choice'; options: readonly (string | number)[] }
  | { kind: 'text'; maxLength: number | undefined; pattern: string | undefined; isSecret: boolean; isLong: boolean }
  | { kind: 'texts'; maxItems: number | undefined }
  /** A value without a matching field type: edited as JSON. */
  | { kind: 'json' }
);

type Schema = Readonly<Record<string, unknown>>;

export type Values = Readonly<Record<string, unknown>>;

/** The fields of an object schema, in its order. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = asSchema(schema);
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.entries(asSchema(properties)).map(([name, property]) =>
    fieldOf(name, asSchema(property), names.includes(name)),
  );
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const common = {
    name,
    label: typeof schema.title === 'string' ? schema.title : labelOf(name),
    help: typeof schema.description === 'string' ? schema.description : undefined,
    required: required && !('default' in schema),
    default: schema.default,
  };
  const options = optionsOf(schema);
  if (options !== undefined) return { ...common, kind: 'choice', options };
  switch (schema.type) {
    case 'boolean':
      return { ...common, kind: 'boolean' };
    case 'integer':
    case 'number':
      return {
        ...common,
        kind: 'number',
        isInteger: schema.type === 'integer',
        min: numberOf(schema.minimum) ?? numberOf(schema.exclusiveMinimum),
        max: numberOf(schema.maximum) ?? numberOf(schema.exclusiveMaximum),
        step: numberOf(schema.multipleOf),
      };
    case 'string':
      return {
        ...common,
        kind: 'text',
        maxLength: numberOf(schema.maxLength),
        pattern: typeof schema.pattern === 'string' ? schema.pattern : undefined,
        isSecret: schema.writeOnly === true,
        isLong: schema.contentMediaType !== undefined || (numberOf(schema.maxLength) ?? 0) > 500,
      };
    case 'array':
      return asSchema(schema.items).type === 'string'
        ? { ...common, kind: 'texts', maxItems: numberOf(schema.maxItems) }
        : { ...common, kind: 'json' };
    default:
      return { ...common, kind: 'json' };
  }
}

/** `maxBlankLines` → `Max blank lines`. */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Choices of `enum`, of a union of constants, or of one constant. */
function optionsOf(schema: Schema): (string | number)[] | undefined {
  const isPlain = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
  if (Array.isArray(schema.enum)) return schema.enum.filter(isPlain);
  const union: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(union)) return undefined;
  const constants = union.map((option) => asSchema(option).const).filter(isPlain);
  return constants.length === union.length ? constants : undefined;
}

/** The default value of each field. */
export function defaultsOf(fields: readonly Field[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => field.default !== undefined).map((field) => [field.name, field.default]),
  );
}

export type Problem =
  | { key: 'required' }
  | { key: 'integer' }
  | { key: 'min'; limit: number }
  | { key: 'max'; limit: number }
  | { key: 'multiple'; limit: number }
  | { key: 'tooLong'; limit: number }
  | { key: 'pattern' };

/** The error of a value; the service still validates, this only saves a call. */
export function problemOf(field: Field, value: unknown): Problem | undefined {
  if (value === undefined || value === '' || value === null)
    return field.required || field.kind === 'number' ? { key: 'required' } : undefined;
  if (field.kind === 'number' && typeof value === 'number') {
    if (field.isInteger && !Number.isInteger(value)) return { key: 'integer' };
    if (field.min !== undefined && value < field.min) return { key: 'min', limit: field.min };
    if (field.max !== undefined && value > field.max) return { key: 'max', limit: field.max };
    if (field.step !== undefined && Math.abs(value / field.step - Math.round(value / field.step)) > 1e-9)
      return { key: 'multiple', limit: field.step };
  }
  if (field.kind === 'text' && typeof value === 'string') {
    if (field.maxLength !== undefined && [...value].length > field.maxLength)
      return { key: 'tooLong', limit: field.maxLength };
    if (field.pattern !== undefined && !new RegExp(field.pattern, 'u').test(value)) return { key: 'pattern' };
  }
  return undefined;
}

/** Whether every field is valid. */
export function isComplete(fields: readonly Field[], values: Values): boolean {
  return fields.every((field) => problemOf(field, values[field.name] ?? field.default) === undefined);
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const unlimitedFrom = 1_000_000_000;

/** Whether a value is the maximum of a number and large enough to mean "no limit": the field is then empty. */
export function isUnlimited(field: Field, value: unknown): boolean {
  return (
    field.kind === 'number' && value === field.max && field.max === field.default && Number(value) >= unlimitedFrom
  );
}
