import {
  Type,
  type Static,
  type TNull,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TUnion,
  type TUnsafe,
} from 'typebox';
import { idPattern } from '../kernel/ids.ts';
import type { SentenceParams } from '../kernel/sentences/index.ts';

/** An id in paths and bodies. */
export const IdSchema = Type.String({ pattern: idPattern, description: 'Opaque ID' });

/** ISO 8601 UTC with milliseconds. */
export const TimestampSchema = Type.String({ format: 'date-time', examples: ['2026-01-31T08:00:00.000Z'] });

/** Answer without a body. */
export const NoContent = Type.Null({ description: 'No content' });

/**
 * Names a schema: the OpenAPI document defines it once under this name, and generated clients use it. The name is its
 * `title`, which validation and serialisation ignore.
 */
export function named<T extends TSchema>(name: string, schema: T): T {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) throw new Error(`${name} is no name for a schema: write it in PascalCase`);
  return Object.assign(schema, { title: name });
}

/** An object with a name. All objects in bodies and answers are created by it; a named part becomes a reference. */
export function namedObject<P extends TProperties>(name: string, properties: P, options: TObjectOptions = {}) {
  return named(name, Type.Object(properties, options));
}

/** The name of a schema; throws when it has none. */
export function nameOf(schema: TSchema): string {
  const { title } = schema as { title?: unknown };
  if (typeof title !== 'string') throw new Error(`A schema has no name: ${JSON.stringify(schema).slice(0, 200)}`);
  return title;
}

/** One of a few strings. The document defines name and values once; each use adds its own description. */
export function oneOf<const V extends readonly string[]>(
  name: string,
  values: V,
  options: { description?: string; default?: V[number] } = {},
) {
  return named(name, Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options }));
}

/** A plain value or null; for an object use a union. */
export function nullable<T extends TSchema & { type?: unknown; enum?: unknown[] }>(schema: T) {
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return Type.Unsafe<Static<T> | null>({ ...schema, ...values, type: [schema.type, 'null'] });
}

/** A secret that is accepted and never returned. Null or missing keeps the stored value. */
export function secretText(options: { maxLength: number; description: string }) {
  return Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], writeOnly: true, ...options }));
}

/** `page` and `size` of a list, to be spread into the querystring's properties. */
export const pageQuery = {
  page: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Zero-based page' }),
  size: Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: 'Items per page' }),
};

/** `sort=FIELD,asc|desc` over the named fields. */
export function sortQuery(name: string, fields: readonly string[]) {
  const values = fields.flatMap((field) => [`${field},asc`, `${field},desc`]);
  return Type.Optional(oneOf(name, values, { description: 'Field and direction' }));
}

/** The envelope of a list, named after its items. */
export function pageOf<T extends TSchema>(item: T) {
  return namedObject(`${nameOf(item)}Page`, {
    content: Type.Array(item),
    page: Type.Integer(),
    size: Type.Integer(),
    totalElements: Type.Integer(),
    totalPages: Type.Integer(),
    first: Type.Boolean(),
    last: Type.Boolean(),
  });
}

/** The values of a sentence, for clients that translate it. */
export const SentenceParamsSchema = named(
  'SentenceParams',
  Type.Unsafe<SentenceParams>({
    type: 'object',
    additionalProperties: true,
    description: 'Values by name: a string, a number, or another sentence as `{code, params}`',
  }),
);

/** The fields beside a text `reason`: `reasonCode` and `reasonParams`. */
export function codeFields<const Name extends string>(name: Name) {
  return {
    [`${name}Code`]: nullable(
      Type.String({ description: `Code of \`${name}\`, listed in docs/errors.md; null for texts without a code` }),
    ),
    [`${name}Params`]: Type.Union([SentenceParamsSchema, Type.Null()]),
  } as CodeFields<Name>;
}

/** Code and values of each text of a list; null for those without. */
export function sentencesOf(name: string) {
  const sentence = namedObject('Sentence', { code: Type.String(), params: SentenceParamsSchema });
  return Type.Array(Type.Union([sentence, Type.Null()]), {
    description: `Code and values of each of \`${name}\`, in the same order`,
  });
}

/** For documents that are converted to Markdown: PDF, Office and OpenDocument files, RTF, EPUB, HTML, e-mail. */
export const DocumentReceiptSchema = namedObject('DocumentReceipt', {
  format: Type.String({ description: 'Detected from the content' }),
  title: nullable(Type.String()),
  pageKind: nullable(oneOf('PageKind', ['page', 'slide', 'sheet'])),
  pagesIn: nullable(Type.Integer({ description: 'Pages, slides or sheets; null if the format has none' })),
  pagesOut: nullable(Type.Integer({ description: 'Pages with text' })),
  characters: Type.Integer({ description: 'Code points of the text' }),
  tables: Type.Integer(),
  images: Type.Integer({ description: 'Pictures and charts, which are not part of the text' }),
  warnings: Type.Array(Type.String({ description: 'Parts that were omitted or look wrong' })),
  warningSentences: sentencesOf('warnings'),
  leftOut: Type.Array(
    namedObject('LeftOut', {
      kind: Type.String({ description: 'PICTURE, CHART, COMMENT, ATTACHMENT, PAGE_WITHOUT_TEXT and others' }),
      count: Type.Integer({ description: 'How many; characters of DELETED_TEXT and LETTERS' }),
      page: nullable(Type.Integer({ description: 'Number of the page, slide or sheet, if it is known' })),
    }),
    { description: 'What is neither text nor table of the result' },
  ),
  replaced: nullable(
    namedObject('ReplacedCharacters', {
      count: Type.Integer(),
      places: Type.Array(Type.Integer(), { description: 'The first of them, in UTF-16 code units from 1' }),
    }),
  ),
});

type CodeFields<Name extends string> = Record<`${Name}Code`, TUnsafe<string | null>> &
  Record<`${Name}Params`, TUnion<[typeof SentenceParamsSchema, TNull]>>;

const errorOrigin = { errorParams: SentenceParamsSchema, timestamp: TimestampSchema, path: Type.String() };

/** Errors outside `/data-management`. */
export const ServiceErrorSchema = namedObject('ServiceError', {
  code: Type.Integer({ description: 'HTTP status' }),
  message: Type.String({ description: 'Status text' }),
  error: Type.String({ description: 'What is wrong' }),
  errorCode: Type.String({ description: 'Identifier, listed in docs/errors.md', pattern: '^[A-Z][A-Z0-9_]*$' }),
  ...errorOrigin,
});

/** Errors under `/data-management`. */
export const DataManagementErrorSchema = namedObject('DataManagementError', {
  error: Type.String({ description: 'Identifier', pattern: '^[A-Z][A-Z0-9_]*$' }),
  message: Type.String({ description: 'What is wrong' }),
  ...errorOrigin,
});

/** Model usage of a preview's steps. */
export const ModelsAskedSchema = namedObject(
  'ModelsAsked',
  {
    calls: Type.Integer({ description: 'Calls made' }),
    known: Type.Integer({ description: 'Replies served from the store at no cost' }),
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    cost: nullable(
      Type.Number({ description: 'According to the prices of the models; null if tokens were not reported' }),
    ),
  },
  { description: 'Null if no step calls models' },
);
