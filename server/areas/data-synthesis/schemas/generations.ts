import { type Static, Type } from 'typebox';
import { namedObject, nullable } from '../../../http/schemas.ts';

const share = (description: string) => Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1, description })));

const characters = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000, description })));

export const ChecksSchema = namedObject(
  'SynthesisChecks',
  {
    refusals: Type.Optional(
      Type.Boolean({ description: 'Drop replies in which the model refuses to answer; default: true' }),
    ),
    leaks: Type.Optional(
      Type.Boolean({ description: 'Drop replies that repeat the prompt or its markers; default: true' }),
    ),
    minCharacters: characters('Minimum total characters of all texts of a record; default: 1'),
    maxCharacters: characters('Maximum total characters of all texts of a record'),
    language: Type.Optional(
      nullable(
        Type.String({
          pattern: '^(?:SOURCE|[a-z]{2})$',
          description: 'Language of the record as an ISO 639-1 code, or SOURCE: the language of its source',
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
            min: Type.Number({ minimum: 0, maximum: 1, description: 'Minimum share' }),
          }),
          Type.Null(),
        ],
        {
          description:
            'Minimum share of the words of a field that occur in the source in sequences of three (or of all its words, if fewer)',
        },
      ),
    ),
  },
  { description: 'Checks after the schema; null disables a check of the template' },
);

export type Checks = Static<typeof ChecksSchema>;

export const ParametersSchema = namedObject(
  'SynthesisParameters',
  {
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    maxTokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Maximum length of a reply' }),
    ),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    stop: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 4 })),
    frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
    presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  },
  { description: 'Parameters of the model' },
);

export const outputSchemaDescription =
  'JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required, items, enum, const, ' +
  'anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems, pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`';
