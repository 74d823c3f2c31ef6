import { Type, type Static } from 'typebox';
import {
  IdSchema,
  named,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../http/schemas.ts';

export const templateTypes = [
  'QA_PAIRS',
  'INSTRUCTION',
  'COT',
  'DIALOGUE',
  'AUGMENTATION',
  'CLASSIFICATION',
  'PREFERENCE',
  'CUSTOM',
] as const;

const share = (description: string) => Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1, description })));
const characters = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000, description })));

export const ChecksSchema = namedObject(
  'SynthesisChecks',
  {
    refusals: Type.Optional(Type.Boolean({ description: 'Drop replies in which the model refuses; default: true' })),
    leaks: Type.Optional(
      Type.Boolean({ description: 'Drop replies that repeat the prompt or its marks; default: true' }),
    ),
    minCharacters: characters('Fewest characters of all texts of a record; default: 1'),
    maxCharacters: characters('Most characters of all texts of a record'),
    language: Type.Optional(
      nullable(
        Type.String({
          pattern: '^(?:SOURCE|[a-z]{2})$',
          description: 'Language of the record as a code of ISO 639-1, or SOURCE: that of its source',
        }),
      ),
    ),
    similarToSource: share(
      'Largest similarity to the source: Jaccard index of runs of three words, estimated by MinHash',
    ),
    similarToRecords: share(
      'Largest similarity to an earlier record of the task, measured likewise; default: 0.9, in templates of the type CLASSIFICATION none',
    ),
    grounding: Type.Optional(
      Type.Union(
        [
          namedObject('SynthesisGrounding', {
            field: Type.String({ minLength: 1, maxLength: 100, description: 'Field of the record' }),
            min: Type.Number({ minimum: 0, maximum: 1, description: 'Smallest share' }),
          }),
          Type.Null(),
        ],
        {
          description:
            'Smallest share of the words of a field that stand in the source in runs of three (of all, if it has fewer)',
        },
      ),
    ),
  },
  { description: 'What is checked after the schema; null ends a check of the template' },
);
export type Checks = Static<typeof ChecksSchema>;

export const ParametersSchema = namedObject(
  'SynthesisParameters',
  {
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Longest reply' })),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    stop: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 4 })),
    frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
    presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  },
  { description: 'Parameters of the model' },
);

const VariableSchema = namedObject('SynthesisVariable', {
  name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', description: 'Not `text`, `row` or `file`' }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  default: Type.Optional(Type.String({ maxLength: 10_000, description: 'Without it, a task must give a value' })),
});

const outputSchemaDescription =
  'JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required, items, enum, const, ' +
  'anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems, title, description. Without it, the record is `{"text": the reply}`';

const definitionFields = {
  type: oneOf('SynthesisTemplateType', templateTypes),
  language: Type.Union([oneOf('SynthesisTemplateLanguage', ['en', 'zh']), Type.Null()], {
    description: 'Language of the prompt',
  }),
  systemPrompt: nullable(Type.String()),
  prompt: Type.String({
    description:
      'With `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. What comes from the source is set between `<text>` or `<field>` tags that it can not close, ' +
      'and the model is told that it is data',
  }),
  variables: Type.Array(VariableSchema),
  outputSchema: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: outputSchemaDescription,
  }),
  parameters: ParametersSchema,
  checks: ChecksSchema,
};

export const TemplateSchema = namedObject('SynthesisTemplate', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  ...definitionFields,
  version: Type.Integer({ description: 'From 1; each change makes the next one' }),
  builtIn: Type.Boolean({ description: 'Built in: can be neither changed nor deleted' }),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  updatedBy: Type.String(),
});
export type InstructionTemplate = Static<typeof TemplateSchema>;
export const TemplatePageSchema = pageOf(TemplateSchema);

export const TemplateVersionSchema = namedObject('SynthesisTemplateVersion', {
  version: Type.Integer(),
  ...definitionFields,
  createdAt: TimestampSchema,
  createdBy: Type.String(),
});
export type InstructionVersion = Static<typeof TemplateVersionSchema>;
export const TemplateVersionPageSchema = pageOf(TemplateVersionSchema);

/** The part of a template that makes records. */
export type InstructionDefinition = Omit<InstructionVersion, 'version' | 'createdAt' | 'createdBy'>;

const prompt = Type.String({ minLength: 1, maxLength: 50_000 });
export const NewTemplateBody = namedObject('NewSynthesisTemplate', {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique without regard to case' }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  type: definitionFields.type,
  language: Type.Optional(definitionFields.language),
  systemPrompt: Type.Optional(nullable(Type.String({ maxLength: 50_000 }))),
  prompt,
  variables: Type.Optional(Type.Array(VariableSchema, { maxItems: 50 })),
  outputSchema: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown(), { maxProperties: 50 }), Type.Null()], {
      description: outputSchemaDescription,
    }),
  ),
  parameters: Type.Optional(ParametersSchema),
  checks: Type.Optional(ChecksSchema),
});
export type NewInstructionTemplate = Static<typeof NewTemplateBody>;

export const TemplateChangesBody = named('SynthesisTemplateChanges', Type.Partial(NewTemplateBody));
export type InstructionChanges = Static<typeof TemplateChangesBody>;

export const templateSortFields = ['name', 'createdAt', 'updatedAt'] as const;

export const InstructionsQuery = Type.Object({
  ...pageQuery,
  keyword: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or description' })),
  type: Type.Optional(definitionFields.type),
  builtIn: Type.Optional(Type.Boolean({ description: 'true: only built-in templates; false: only the others' })),
  sort: sortQuery('SynthesisTemplateSort', templateSortFields),
});
export type InstructionsQuery = Static<typeof InstructionsQuery>;

export const InstructionVersionsQuery = Type.Object(pageQuery);
export type InstructionVersionsQuery = Static<typeof InstructionVersionsQuery>;
