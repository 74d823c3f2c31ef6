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
  | {
      kind: 'text';
      maxLength: number | undefined;
      pattern: string | undefined;
      isSecret: boolean;
      isLong: boolean;
      /** Whether the text may contain line breaks. */
      hasLines: boolean;
    }
  /** `byLine`: for long texts, such as addresses, one per line. */
  | { kind: 'texts'; maxItems: number | undefined; byLine: boolean }
  /** Texts by name, such as headers: `Name: value` lines. */
  | { kind: 'pairs' }
  /** An object of one of several kinds, identified by its `tag`. */
  | { kind: 'variants'; tag: string; variants: readonly Variant[] }
  /** Other datasets, each with the part that is used. */
  | { kind: 'datasets'; maxItems: number }
  /** The id of a model that follows instructions. */
  | { kind: 'model' }
  /** A value without a matching field type: edited as JSON. */
  | { kind: 'json' }
);

export type Variant = { value: string; fields: readonly Field[] };

type Schema = Readonly<Record<string, unknown>>;

export type Values = Readonly<Record<string, unknown>>;

/** The fields of an object schema, in its own order. */
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
  const variants = variantsOf(schema);
  if (variants !== undefined) return { ...common, kind: 'variants', ...variants };
  switch (typeOf(schema)) {
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
      if (schema['x-models'] !== undefined) return { ...common, kind: 'model', required: true };
      return {
        ...common,
        kind: 'text',
        maxLength: numberOf(schema.maxLength),
        pattern: typeof schema.pattern === 'string' ? schema.pattern : undefined,
        isSecret: schema.writeOnly === true,
        hasLines: schema.contentMediaType !== undefined,
        isLong: schema.contentMediaType !== undefined || (numberOf(schema.maxLength) ?? 0) > longText,
      };
    case 'array':
      if (schema['x-datasets'] === true) {
        return { ...common, kind: 'datasets', maxItems: numberOf(schema.maxItems) ?? Infinity };
      }
      return asSchema(schema.items).type === 'string'
        ? {
            ...common,
            kind: 'texts',
            maxItems: numberOf(schema.maxItems),
            byLine: schema['x-lines'] === true || (numberOf(asSchema(schema.items).maxLength) ?? 0) > longText,
          }
        : { ...common, kind: 'json' };
    case 'object':
      return { ...common, kind: isTextByName(schema) ? 'pairs' : 'json' };
    default:
      return { ...common, kind: 'json' };
  }
}

const longText = 500;

/** A nullable type counts as the type itself. */
function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

function isTextByName(schema: Schema): boolean {
  const values = Object.values(asSchema(schema.patternProperties));
  const others = asSchema(schema.additionalProperties);
  return [...values, others].some((value) => asSchema(value).type === 'string');
}

/** A union of objects, each identified by a constant. */
function variantsOf(schema: Schema): { tag: string; variants: Variant[] } | undefined {
  const union: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const [first] = union;
  const tag = Object.entries(asSchema(asSchema(first).properties)).find(
    ([, property]) => typeof asSchema(property).const === 'string',
  )?.[0];
  if (tag === undefined) return undefined;
  const variants = union.flatMap((option) => {
    const value = asSchema(asSchema(asSchema(option).properties)[tag]).const;
    return typeof value === 'string' ? [{ value, fields: fieldsOf(option).filter(({ name }) => name !== tag) }] : [];
  });
  return variants.length === union.length ? { tag, variants } : undefined;
}

const abbreviations = /\b(?:url|tls|api|id|sql|http|csv|json|sha|ip|ssh)(?=s?\b)/gi;

/** `maxBlankLines` → `Max blank lines`, `baseUrls` → `Base URLs`. */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return (words.charAt(0).toUpperCase() + words.slice(1)).replaceAll(abbreviations, (letters) => letters.toUpperCase());
}

/** The options of `enum`, of a union of constants, or of a single constant. */
function optionsOf(schema: Schema): (string | number)[] | undefined {
  const isPlain = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
  if (Array.isArray(schema.enum)) return schema.enum.filter(isPlain);
  const union: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(union)) return undefined;
  const constants = union.map((option) => asSchema(option).const).filter(isPlain);
  return constants.length === union.length ? constants : undefined;
}

/**
 * The items of a list. Steps of releases before lists have a text with commas, in which an item that contains one is in
 * quotation marks; words may also be on lines of their own.
 */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'string') return [];
  return Array.from(value.matchAll(/"((?:[^"]|"")*)"|[^,，\s"](?:[^,，"\n]*[^,，\s"])?/g), ([whole, quoted]) =>
    quoted === undefined ? whole : quoted.replaceAll('""', '"'),
  );
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

/** The problem of a value; the service validates as well, this only saves a call. */
export function problemOf(field: Field, value: unknown): Problem | undefined {
  if (value === undefined || value === '' || value === null)
    return field.required || (field.kind === 'number' && field.default !== undefined) ? { key: 'required' } : undefined;
  if (field.kind === 'number' && typeof value === 'number') {
    if (field.isInteger && !Number.isInteger(value)) return { key: 'integer' };
    if (field.min !== undefined && value < field.min) return { key: 'min', limit: field.min };
    if (field.max !== undefined && value > field.max) return { key: 'max', limit: field.max };
    if (field.step !== undefined && Math.abs(value / field.step - Math.round(value / field.step)) > 1e-9)
      return { key: 'multiple', limit: field.step };
  }
  if (field.required && Array.isArray(value) && value.length === 0) return { key: 'required' };
  if (field.kind === 'datasets' && Array.isArray(value)) {
    const isChosen = value.every((item) => typeof asSchema(item).datasetId === 'string');
    return isChosen ? undefined : { key: 'required' };
  }
  if (field.kind === 'variants') {
    const values = asSchema(value);
    const chosen = field.variants.find((variant) => variant.value === values[field.tag]);
    return chosen === undefined || !isComplete(chosen.fields, values) ? { key: 'required' } : undefined;
  }
  if (field.kind === 'text' && typeof value === 'string') {
    if (field.maxLength !== undefined && [...value].length > field.maxLength)
      return { key: 'tooLong', limit: field.maxLength };
    if (field.pattern !== undefined && !new RegExp(field.pattern, 'u').test(value)) return { key: 'pattern' };
  }
  return undefined;
}

/** Whether a step with these fields calls a model, which may cost money. */
export function asksModels(fields: readonly Field[]): boolean {
  return fields.some(({ kind }) => kind === 'model');
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
