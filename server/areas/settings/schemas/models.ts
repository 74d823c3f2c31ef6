import { type Static, Type } from 'typebox';
import {
  codeFields,
  IdSchema,
  named,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  secretText,
  TimestampSchema,
} from '../../../http/schemas.ts';

const amount = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

const count = (description: string, maximum: number) => Type.Integer({ minimum: 1, maximum, description });

const PricesSchema = namedObject('ModelPrices', {
  input: amount('Price of a million input tokens'),
  output: amount('Price of a million output tokens'),
});

const CapsSchema = namedObject(
  'ModelCaps',
  {
    maxCalls: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    maxCost: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  },
  { description: 'An omitted cap does not limit; 0 forbids calls of the model' },
);

const LimitsSchema = namedObject('ModelLimits', {
  concurrency: Type.Optional(count('Maximum concurrent calls across all runs and processes (64)', 4096)),
  maxOutputTokens: Type.Optional(count('Maximum tokens of a reply, unless a call sets it (1,024)', 1_000_000)),
  timeoutSeconds: Type.Optional(count('Maximum seconds of a call (120)', 3600)),
  batchSize: Type.Optional(count('Texts per embedding call (64)', 2048)),
  perDay: Type.Optional(CapsSchema),
  total: Type.Optional(CapsSchema),
});

export const modelKinds = ['CHAT', 'EMBEDDING', 'RERANKER'] as const;

export const modelProviders = ['openai-compatible', 'builtin'] as const;

export const ModelSchema = namedObject('Model', {
  id: IdSchema,
  name: Type.String(),
  kind: oneOf('ModelKind', modelKinds),
  provider: oneOf('ModelProvider', modelProviders),
  baseUrl: nullable(Type.String()),
  model: Type.String({ description: 'Name of the model at the provider' }),
  apiKey: nullable(Type.String({ description: 'Always null: it is never shown' })),
  hasSecret: Type.Boolean({ description: 'Whether an API key is stored' }),
  prices: Type.Union([PricesSchema, Type.Null()]),
  limits: LimitsSchema,
  builtIn: Type.Boolean({ description: 'Built in: cannot be changed or deleted' }),
  createdAt: nullable(TimestampSchema),
  createdBy: nullable(Type.String()),
  updatedAt: nullable(TimestampSchema),
  updatedBy: nullable(Type.String()),
});

export type ModelView = Static<typeof ModelSchema>;

export const ModelPageSchema = pageOf(ModelSchema);

export const NewModelBody = namedObject('NewModel', {
  name: Type.String({ maxLength: 100, description: '1 to 100 characters' }),
  kind: oneOf('ModelKind', modelKinds),
  provider: oneOf('ModelProvider', modelProviders, {
    default: 'openai-compatible',
    description: 'builtin: a local ONNX model; its model is onnx:FOLDER, a folder in models/ of the data directory',
  }),
  baseUrl: Type.Optional(
    nullable(Type.String({ description: 'Base URL of an openai-compatible API, such as https://api.openai.com/v1' })),
  ),
  model: Type.String({ maxLength: 200, description: 'Name of the model at the provider, 1 to 200 characters' }),
  apiKey: secretText({
    maxLength: 4000,
    description:
      'At most 4,000 characters, visible ASCII; missing or null: unchanged, empty: removed. Required again when baseUrl moves to another origin',
  }),
  prices: Type.Optional(Type.Union([PricesSchema, Type.Null()])),
  limits: Type.Optional(LimitsSchema),
});

export type NewModel = Static<typeof NewModelBody>;

export const ModelChangesBody = named(
  'ModelChanges',
  Type.Partial(Type.Object({ ...NewModelBody.properties, provider: oneOf('ModelProvider', modelProviders) })),
);

export type ModelChanges = Static<typeof ModelChangesBody>;

export const ModelParams = Type.Object({ id: IdSchema });

export const ModelsQuery = Type.Object({
  ...pageQuery,
  kind: Type.Optional(oneOf('ModelKind', modelKinds)),
  keyword: Type.Optional(Type.String({ description: 'Part of the name' })),
});

export type ModelsQuery = Static<typeof ModelsQuery>;

export const ModelTestSchema = namedObject('ModelTest', {
  ok: Type.Boolean(),
  message: Type.String({ description: 'The result in words' }),
  ...codeFields('message'),
  tookMs: Type.Integer(),
});

export type ModelTestView = Static<typeof ModelTestSchema>;

const figures = {
  calls: Type.Integer({ description: 'Attempts sent, whether answered or not' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cost: Type.Number({ description: "According to the model's prices" }),
  unreportedCalls: Type.Integer({
    description:
      'Calls that the provider may bill but for which it reported no tokens (missing in the response, connection lost, or aborted by the caller): not in tokens and cost, and charged to budgets at their maximum',
  }),
};

export const ModelUsageSchema = namedObject('ModelUsage', {
  totals: namedObject('ModelUsageFigures', figures),
  days: Type.Array(
    namedObject('ModelUsageOfDay', { day: Type.String({ description: 'UTC, newest first' }), ...figures }),
  ),
  runs: Type.Array(namedObject('ModelUsageOfRun', { runId: Type.String(), ...figures })),
});
