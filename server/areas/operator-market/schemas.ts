import { Type, type Static } from 'typebox';
import {
  codeFields,
  IdSchema,
  ModelsAskedSchema,
  named,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../http/schemas.ts';

const modalities = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'ANY'] as const;
const kinds = ['MAPPER', 'FILTER', 'DEDUPLICATOR', 'SPLITTER', 'SELECTOR'] as const;
const parts = ['text', 'fields', 'columns', 'messages', 'media', 'scores'] as const;
const statuses = ['PUBLISHED', 'APPROVED', 'DISABLED'] as const;
const sources = ['BUILT_IN', 'PUBLISHED'] as const;

const ModalitySchema = oneOf('OperatorModality', modalities);
const KindSchema = oneOf('OperatorKind', kinds);
const SamplePartSchema = oneOf('SamplePart', parts);
const SourceSchema = oneOf('OperatorSource', sources);

const StatusSchema = oneOf('OperatorStatus', statuses, {
  description: 'PUBLISHED is enough for an operator without capabilities; DISABLED: no task can use it',
});
const SignatureSchema = namedObject('OperatorSignature', {
  verified: Type.Boolean({ description: 'Whether it was made with a publisher key that is known here' }),
  publisher: nullable(Type.String({ description: 'The name of that key' })),
});
export type OperatorSignature = Static<typeof SignatureSchema>;
const MetricsSchema = namedObject('OperatorMetrics', {
  samplesPerSecond: Type.Number({ description: 'Of documents of about 2,000 characters' }),
  peakMemoryBytes: Type.Integer(),
  deterministic: Type.Boolean({ description: 'Whether two runs, the second one in another order, gave the same' }),
  lane: oneOf('SandboxLane', ['SAFE', 'FAST'], { description: 'The lane of the sandbox that it was measured in' }),
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
  paramsSchema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the parameters' }),
  thresholds: Type.Array(
    namedObject('OperatorThreshold', {
      param: Type.String(),
      direction: oneOf('ThresholdDirection', ['min', 'max'], {
        description: 'A sample is kept if its score is at least (min) or at most (max) this value',
      }),
    }),
    {
      description:
        'Parameters that are compared with the score of a sample; other values can be tried on a finished run',
    },
  ),
  capabilities: Type.Array(Type.String(), {
    description: 'What it may access beyond the sample; none for a pure operator',
  }),
  source: SourceSchema,
  status: StatusSchema,
  installed: Type.Boolean({ description: 'Only installed operators can be used in tasks' }),
  digest: Type.String({ description: 'SHA-256 that identifies this version, lower-case hex' }),
  wholeSet: Type.Boolean({ description: 'Whether it compares all samples before it decides on one' }),
  readme: Type.String({ description: 'Markdown' }),
  examples: Type.Array(
    namedObject('OperatorExample', {
      title: Type.String(),
      params: Type.Record(Type.String(), Type.Unknown()),
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
      params: Type.Record(Type.String(), Type.Unknown()),
      inputs: Type.Array(Type.String()),
      outputs: Type.Array(
        namedObject('OperatorSetOutput', {
          text: nullable(Type.String({ description: 'Null if the sample is dropped' })),
          dropped: nullable(Type.String({ description: 'Reason of the drop' })),
        }),
        { description: 'One for each input' },
      ),
    }),
    { description: 'Examples of an operator over the whole set' },
  ),
  licence: Type.String(),
  models: Type.Array(Type.String(), {
    description: 'The models that it asks for; part of what an administrator approves',
  }),
  signature: nullable(SignatureSchema),
  icon: nullable(Type.String({ description: 'A PNG as a data URL' })),
  changes: nullable(Type.String({ description: 'What is new in this version' })),
  metrics: nullable(MetricsSchema),
  rating: namedObject('OperatorRating', {
    average: nullable(Type.Number()),
    count: Type.Integer(),
    distribution: Type.Array(Type.Integer(), { description: 'How many gave one star, two, … five' }),
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
        'Words with a comma between them, and behind `|` others that mean the same: `remove|delete,links|url`. Found in the name, the summary, the ' +
        'categories, the author and the parameters; the best first, unless `sort` is given. If nothing has them all, what has most of them',
    }),
  ),
  modality: Type.Optional(ModalitySchema),
  kind: Type.Optional(KindSchema),
  category: Type.Optional(Type.String()),
  author: Type.Optional(Type.String()),
  capability: Type.Optional(Type.String({ description: 'One that it asks for; `none`: those that ask for nothing' })),
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

const maxTrialSamples = 100;
export const trialBodyLimit = 1024 * 1024;

export const TrialBody = namedObject('OperatorTrialRequest', {
  version: Type.Optional(Type.String({ description: 'Default: the installed version' })),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Default: those of the operator' })),
  samples: Type.Array(
    namedObject('OperatorTrialSample', {
      text: Type.String({ description: 'For an operator of columns, a JSON object is a row' }),
    }),
    {
      minItems: 1,
      maxItems: maxTrialSamples,
    },
  ),
});
export type TrialRequest = Static<typeof TrialBody>;

export const TrialSchema = namedObject('OperatorTrial', {
  results: Type.Array(
    namedObject('OperatorTrialResult', {
      verdict: oneOf('TrialVerdict', ['KEPT', 'CHANGED', 'DROPPED', 'FAILED']),
      texts: Type.Array(Type.String(), {
        description: 'The texts afterwards: none if the sample was dropped or failed, several if it was split',
      }),
      truncated: Type.Boolean({ description: 'Whether any of these texts is only the beginning of a longer one' }),
      score: nullable(Type.Number({ description: 'The score that the operator decided by' })),
      reason: nullable(Type.String({ description: 'Reason of the drop or failure' })),
      ...codeFields('reason'),
    }),
    { description: 'One for each sample, in their order' },
  ),
  compared: Type.Array(
    namedObject('TrialDataset', {
      datasetId: Type.String(),
      dataset: Type.String({ description: 'Its name' }),
      version: nullable(Type.Integer()),
      samples: Type.Integer({ description: 'Samples that were compared with' }),
      isWhole: Type.Boolean({ description: 'Whether these are all; a trial reads the first ones' }),
    }),
    { description: 'The other datasets that the samples were compared with' },
  ),
  asked: nullable(ModelsAskedSchema),
  tookMs: Type.Number({ description: 'From the request to the result, in milliseconds' }),
});
export type Trial = Static<typeof TrialSchema>;

export const OperatorSpeedsSchema = namedObject('OperatorSpeeds', {
  speeds: Type.Array(
    namedObject('OperatorSpeed', {
      operatorId: Type.String(),
      version: Type.String(),
      unit: oneOf('MeasuredSamples', ['DOCUMENTS', 'PICTURES']),
      samplesPerSecond: nullable(Type.Number({ description: 'On one core; null if it could not be measured' })),
      reason: nullable(Type.String({ description: 'Why it could not be measured' })),
      pending: Type.Boolean({ description: 'It is still being measured: ask again in some seconds' }),
    }),
  ),
});
export type OperatorSpeeds = Static<typeof OperatorSpeedsSchema>;

export const OperatorParams = Type.Object({ id: IdSchema });
export const OperatorQuery = Type.Object({
  version: Type.Optional(Type.String({ description: 'Default: the installed version, else the newest' })),
});
export const OperatorVersionQuery = Type.Object({
  version: Type.Optional(Type.String({ description: 'Default: all versions' })),
});

export const NewOperatorBody = namedObject('NewOperator', {
  manifest: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The content of operator.json',
    maxProperties: 50,
  }),
  source: Type.String({ maxLength: 4_194_304, description: 'One ES module without imports' }),
  readme: Type.Optional(Type.String({ maxLength: 262_144, description: 'Markdown; default: title and summary' })),
});
export type NewOperator = Static<typeof NewOperatorBody>;
export const newOperatorBodyLimit = 8 * 1024 * 1024;
export const PackageForm = namedObject('OperatorPackage', {
  file: Type.Unsafe<string>({ type: 'string', format: 'binary' }),
});

export const packageChecks = ['ARCHIVE', 'MANIFEST', 'FILES', 'SIGNATURE', 'NUMBER', 'EXAMPLES', 'FACTS'] as const;
export type PackageCheck = (typeof packageChecks)[number];
export const ExaminationSchema = namedObject('OperatorExamination', {
  accepted: Type.Boolean({ description: 'Whether publishing this package would succeed' }),
  checks: Type.Array(
    namedObject('OperatorPackageCheck', {
      check: oneOf('PackageCheckName', packageChecks, {
        description:
          'ARCHIVE: it unpacks by the rules; MANIFEST: operator.json; FILES: code, README and icon; SIGNATURE: operator.sig, if there is one; NUMBER: the id and ' +
          'version are free; EXAMPLES: they pass in the sandbox; FACTS: speed, memory and determinism were measured',
      }),
      state: oneOf('PackageCheckState', ['PASSED', 'REFUSED', 'NOT_REACHED']),
      problem: nullable(Type.String()),
      ...codeFields('problem'),
    }),
    { description: 'In the order in which publishing makes them; it ends at the first that refuses' },
  ),
  package: nullable(
    namedObject('ExaminedPackage', {
      id: Type.String(),
      version: Type.String(),
      name: Type.String(),
      description: Type.String(),
      author: Type.String(),
      licence: Type.String(),
      modality: ModalitySchema,
      kind: KindSchema,
      categories: Type.Array(Type.String()),
      capabilities: Type.Array(Type.String()),
      models: Type.Array(Type.String()),
      changes: nullable(Type.String()),
      examples: Type.Integer({ description: 'How many examples it has' }),
      digest: Type.String(),
    }),
  ),
  latestVersion: nullable(Type.String({ description: 'The newest version that is published under this id' })),
  signature: nullable(SignatureSchema),
  metrics: nullable(MetricsSchema),
});
export type PackageExamination = Static<typeof ExaminationSchema>;

export const OperatorVersionSchema = namedObject('OperatorVersion', {
  version: Type.String(),
  status: StatusSchema,
  installed: Type.Boolean(),
  digest: Type.String(),
  sizeBytes: Type.Integer(),
  capabilities: Type.Array(Type.String()),
  models: Type.Array(Type.String()),
  signature: nullable(SignatureSchema),
  changes: nullable(Type.String()),
  metrics: nullable(MetricsSchema),
  createdAt: nullable(TimestampSchema),
  createdBy: nullable(Type.String()),
});
export type OperatorVersionView = Static<typeof OperatorVersionSchema>;
export const OperatorVersionsSchema = named('OperatorVersions', Type.Array(OperatorVersionSchema));

export const RatingBody = namedObject('NewOperatorRating', { stars: Type.Integer({ minimum: 1, maximum: 5 }) });
export const VersionChoiceBody = namedObject('OperatorVersionChoice', {
  version: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the newest' })),
});
export type VersionChoice = Static<typeof VersionChoiceBody>;

export const comparisonLimits = { samples: 200, listed: 100 } as const;
export const ComparisonBody = namedObject('OperatorComparisonRequest', {
  from: Type.String({ maxLength: 64, description: 'The old version' }),
  to: Type.String({ maxLength: 64, description: 'The new version' }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Default: those of each version' })),
  sourceDatasetId: IdSchema,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: comparisonLimits.samples,
      description: 'Samples, drawn at random (default 50)',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'Draws the same samples again' }),
  ),
});
export type ComparisonRequest = Static<typeof ComparisonBody>;
const ComparedSchema = namedObject('OperatorOutcome', {
  verdict: oneOf('ComparedVerdict', ['KEPT', 'CHANGED', 'DROPPED', 'FAILED', 'SKIPPED']),
  texts: Type.Array(Type.String(), { description: 'Long texts are cut' }),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
});
export const ComparisonSchema = namedObject('OperatorComparison', {
  compared: Type.Integer({ description: 'All samples drawn: same + verdictChanged + textChanged + unreadable' }),
  same: Type.Integer(),
  unreadable: Type.Integer({ description: 'Rows and files that can not be read, so that neither version saw them' }),
  verdictChanged: Type.Integer(),
  textChanged: Type.Integer({ description: 'Samples with the same verdict and other texts' }),
  comparedInPart: Type.Integer({ description: 'Samples of which only the beginning was compared: they are too long' }),
  samples: Type.Array(
    namedObject('ComparedSample', {
      filePath: Type.String(),
      row: nullable(Type.Integer()),
      from: ComparedSchema,
      to: ComparedSchema,
    }),
    { description: 'Those that change, at most 100' },
  ),
});
export type Comparison = Static<typeof ComparisonSchema>;

export const PublisherKeySchema = namedObject('PublisherKey', {
  id: IdSchema,
  name: Type.String(),
  publicKey: Type.String(),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
});
export type PublisherKey = Static<typeof PublisherKeySchema>;
export const PublisherKeysSchema = named('PublisherKeys', Type.Array(PublisherKeySchema));
export const NewPublisherKeyBody = namedObject('NewPublisherKey', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  publicKey: Type.String({ maxLength: 1000, description: 'Ed25519, in PEM' }),
});
export type NewPublisherKey = Static<typeof NewPublisherKeyBody>;
export const PublisherKeyParams = Type.Object({ keyId: IdSchema });
