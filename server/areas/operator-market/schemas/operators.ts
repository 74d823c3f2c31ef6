import { type Static, Type } from 'typebox';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const modalities = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'ANY'] as const;

const kinds = ['MAPPER', 'FILTER', 'DEDUPLICATOR', 'SPLITTER', 'SELECTOR'] as const;

const parts = ['text', 'fields', 'columns', 'messages', 'media', 'scores'] as const;

const statuses = ['PUBLISHED', 'APPROVED', 'DISABLED'] as const;

const sources = ['BUILT_IN', 'PUBLISHED'] as const;

export const ModalitySchema = oneOf('OperatorModality', modalities);

export const KindSchema = oneOf('OperatorKind', kinds);

const SamplePartSchema = oneOf('SamplePart', parts);

const SourceSchema = oneOf('OperatorSource', sources);

export const StatusSchema = oneOf('OperatorStatus', statuses, {
  description: 'An operator without capabilities can be used once PUBLISHED; DISABLED: no task can use it',
});

export const SignatureSchema = namedObject('OperatorSignature', {
  verified: Type.Boolean({ description: 'Whether it was created with a publisher key registered here' }),
  publisher: nullable(Type.String({ description: 'The name of that key' })),
});

export type OperatorSignature = Static<typeof SignatureSchema>;

export const MetricsSchema = namedObject('OperatorMetrics', {
  samplesPerSecond: Type.Number({ description: 'For documents of about 2,000 characters' }),
  peakMemoryBytes: Type.Integer(),
  deterministic: Type.Boolean({
    description: 'Whether two runs, the second in a different order, gave the same results',
  }),
  lane: oneOf('SandboxLane', ['SAFE', 'FAST'], { description: 'The sandbox lane in which it was measured' }),
});

export const OperatorSchema = namedObject('Operator', {
  id: IdSchema,
  name: Type.String(),
  version: Type.String(),
  description: Type.String(),
  author: Type.String(),
  modality: ModalitySchema,
  kind: KindSchema,
  categories: Type.Array(Type.String()),
  reads: Type.Array(SamplePartSchema, { description: 'Parts of a sample that it reads' }),
  writes: Type.Array(SamplePartSchema, { description: 'Parts of a sample that it may change' }),
  paramsSchema: recordOf(Type.Unknown(), { description: 'JSON Schema of the parameters' }),
  thresholds: Type.Array(
    namedObject('OperatorThreshold', {
      param: Type.String(),
      direction: oneOf('ThresholdDirection', ['min', 'max'], {
        description: 'A sample is kept if its score is at least (min) or at most (max) this value',
      }),
    }),
    {
      description:
        'Parameters that are compared with the score of a sample; other values can be tried on a completed run',
    },
  ),
  capabilities: Type.Array(Type.String(), {
    description: 'What it may access beyond the sample; none for a pure operator',
  }),
  source: SourceSchema,
  status: StatusSchema,
  installed: Type.Boolean({ description: 'Only installed operators can be used in tasks' }),
  digest: Type.String({ description: 'SHA-256 that identifies this version, lower-case hex' }),
  wholeSet: Type.Boolean({ description: 'Whether it must compare all samples before deciding on any' }),
  readme: Type.String({ description: 'Markdown' }),
  examples: Type.Array(
    namedObject('OperatorExample', {
      title: Type.String(),
      params: recordOf(Type.Unknown()),
      references: Type.Array(Type.String(), { description: 'Texts of the dataset that it compares with' }),
      input: Type.String(),
      output: Type.Array(Type.String(), { description: 'Resulting texts; none if the sample is dropped' }),
      dropped: nullable(Type.String({ description: 'Reason of the drop' })),
      ...codeFields('dropped'),
    }),
  ),
  setExamples: Type.Array(
    namedObject('OperatorSetExample', {
      title: Type.String(),
      params: recordOf(Type.Unknown()),
      inputs: Type.Array(Type.String()),
      outputs: Type.Array(
        namedObject('OperatorSetOutput', {
          text: nullable(Type.String({ description: 'Null if the sample is dropped' })),
          dropped: nullable(Type.String({ description: 'Reason of the drop' })),
        }),
        { description: 'One per input' },
      ),
    }),
    { description: 'Examples of an operator over the whole set' },
  ),
  licence: Type.String(),
  models: Type.Array(Type.String(), {
    description: 'The models that it requests; included in the approval by an administrator',
  }),
  signature: nullable(SignatureSchema),
  icon: nullable(Type.String({ description: 'A PNG as a data URL' })),
  changes: nullable(Type.String({ description: 'What is new in this version' })),
  metrics: nullable(MetricsSchema),
  rating: namedObject('OperatorRating', {
    average: nullable(Type.Number()),
    count: Type.Integer(),
    distribution: Type.Array(Type.Integer(), { description: 'Number of ratings with one star, two, … five' }),
  }),
  yourRating: nullable(Type.Integer({ minimum: 1, maximum: 5 })),
  latestVersion: Type.String(),
  usageCount: Type.Integer({ description: 'Cleaning tasks that use it' }),
  createdAt: nullable(TimestampSchema),
  createdBy: nullable(Type.String()),
});

export type MarketOperator = Static<typeof OperatorSchema>;

export const OperatorPageSchema = pageOf(OperatorSchema);

export const operatorSortFields = ['name', 'id', 'rating', 'usageCount', 'speed', 'createdAt'] as const;

export const OperatorsQuery = Type.Object({
  ...pageQuery,
  keyword: Type.Optional(Type.String({ description: 'Part of the id, name or description' })),
  words: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        'Comma-separated words, each with alternatives after `|`: `remove|delete,links|url`. Searched in the name, the summary, the ' +
        'categories, the author and the parameters; best matches first, unless `sort` is given. If nothing matches all words, returns what matches most',
    }),
  ),
  modality: Type.Optional(ModalitySchema),
  kind: Type.Optional(KindSchema),
  category: Type.Optional(Type.String()),
  author: Type.Optional(Type.String()),
  capability: Type.Optional(
    Type.String({ description: 'A capability that it requests; `none`: operators that request none' }),
  ),
  source: Type.Optional(SourceSchema),
  installed: Type.Optional(Type.Boolean()),
  verified: Type.Optional(Type.Boolean({ description: 'Whether it is signed with a known publisher key' })),
  sort: sortQuery('OperatorSort', operatorSortFields),
});

export type OperatorsQuery = Static<typeof OperatorsQuery>;

const FacetSchema = namedObject('OperatorFacet', { value: Type.String(), count: Type.Integer() });

const facet = Type.Array(FacetSchema);

export const OperatorFacetsSchema = namedObject('OperatorFacets', {
  categories: facet,
  authors: facet,
  capabilities: facet,
  kinds: facet,
  modalities: facet,
});

export type OperatorFacets = Static<typeof OperatorFacetsSchema>;

export const FacetsQuery = Type.Object({ source: Type.Optional(SourceSchema) });

export type FacetsQuery = Static<typeof FacetsQuery>;

export const OperatorSpeedsSchema = namedObject('OperatorSpeeds', {
  speeds: Type.Array(
    namedObject('OperatorSpeed', {
      operatorId: Type.String(),
      version: Type.String(),
      unit: oneOf('MeasuredSamples', ['DOCUMENTS', 'PICTURES']),
      samplesPerSecond: nullable(Type.Number({ description: 'On one core; null if it could not be measured' })),
      reason: nullable(Type.String({ description: 'Why it could not be measured' })),
      pending: Type.Boolean({ description: 'Still being measured; try again in a few seconds' }),
    }),
  ),
});

export type OperatorSpeeds = Static<typeof OperatorSpeedsSchema>;

export const OperatorParams = Type.Object({ id: IdSchema });

export const OperatorQuery = Type.Object({
  version: Type.Optional(Type.String({ description: 'Default: the installed version, else the newest' })),
});

export const RatingBody = namedObject('NewOperatorRating', { stars: Type.Integer({ minimum: 1, maximum: 5 }) });
