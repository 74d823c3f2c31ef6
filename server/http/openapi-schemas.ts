import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;

/** The named schemas of one OpenAPI document; `components/schemas` contains each once. */
export type NamedSchemas = {
  /**
   * A schema as the document shows it: each named part is replaced by a reference. Throws when an object or a list of
   * values has no name, or when two schemas share one; `where` names the owner in the error.
   */
  refer(schema: unknown, where: string): unknown;
  /** All named schemas so far, by name. */
  list(): Json;
};

/** Keywords whose value is a schema, a list of schemas, or schemas by name; the values of all others are data. */
const inside: Readonly<Record<string, 'one' | 'list' | 'map'>> = {
  items: 'one',
  additionalProperties: 'one',
  not: 'one',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  properties: 'map',
  patternProperties: 'map',
};

export function createNamedSchemas(): NamedSchemas {
  const schemas = new Map<string, Json>();

  function refer(schema: unknown, where: string): unknown {
    if (!isObject(schema) || '$ref' in schema) return schema;
    const { title, ...shown } = withoutDefaultsRequired(referInside(schema, where));
    if (typeof title === 'string') return reference(title, shown, where);
    if ('properties' in schema || 'enum' in schema)
      throw new Error(`${where}: a schema has no name; make it with namedObject, named or oneOf: ${excerpt(schema)}`);
    return shown;
  }

  function referInside(schema: Json, where: string): Json {
    const shown: Json = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = inside[keyword];
      if (kind === 'one') shown[keyword] = refer(value, where);
      else if (kind === 'list') shown[keyword] = (value as unknown[]).map((part) => refer(part, where));
      else if (kind === 'map')
        shown[keyword] = Object.fromEntries(
          Object.entries(value as Json).map(([name, part]) => [name, refer(part, where)]),
        );
      else shown[keyword] = value;
    }
    return shown;
  }

  /**
   * Stores a schema under its name. Schemas of one name may differ in their description and in whether they allow null.
   */
  function reference(name: string, schema: Json, where: string): Json {
    const $ref = `#/components/schemas/${name}`;
    if (!('enum' in schema)) {
      keep(name, schema, where);
      return { $ref };
    }
    const { type, enum: values, ...note } = schema;
    const isNullable = Array.isArray(type);
    keep(
      name,
      {
        type: isNullable ? type.find((one) => one !== 'null') : type,
        enum: (values as unknown[]).filter((value) => value !== null),
      },
      where,
    );
    return isNullable ? { anyOf: [{ $ref }, { type: 'null' }], ...note } : { $ref, ...note };
  }

  function keep(name: string, schema: Json, where: string): void {
    const known = schemas.get(name);
    if (known === undefined) schemas.set(name, schema);
    else if (!isDeepStrictEqual(known, schema))
      throw new Error(`${where}: two schemas are called ${name}: ${excerpt(schema)} and, elsewhere, ${excerpt(known)}`);
  }

  return {
    refer,
    list: () => Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Fields with a default are optional. */
function withoutDefaultsRequired(schema: Json): Json {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const needed = required.filter((name) => !hasDefault(properties[String(name)]));
  const { required: _, ...rest } = schema;
  return needed.length === 0 ? rest : { ...schema, required: needed };
}

export function hasDefault(schema: unknown): boolean {
  return isObject(schema) && 'default' in schema;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function excerpt(schema: Json): string {
  return JSON.stringify(schema).slice(0, 300);
}
