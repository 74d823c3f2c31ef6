import { type Static, type TObject, Type } from 'typebox';
import { ChunkingSchema, NewChunkingSchema } from '../../../chunking/schemas.ts';
import { IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../tasks/schemas.ts';
import { ChecksSchema } from './generations.ts';
import { NewInputSchema, VariablesSchema } from './previews.ts';

export const outputFormats = ['RAW', 'ALPACA', 'SHAREGPT', 'MESSAGES'] as const;

const BudgetSchema = namedObject(
  'SynthesisBudget',
  {
    maxCalls: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    maxCost: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  },
  {
    description:
      'Hard caps for a run and the runs that resume it: the worst case of each call is reserved in advance. Reaching a cap stops the run; ' +
      'it can be resumed after the cap is raised. An omitted cap does not limit; with 0, no calls are made and only stored replies are used',
  },
);

const JudgeSchema = namedObject('SynthesisJudge', {
  rubric: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the judge grades and how' }),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Default: the model of the task' })),
  minScore: Type.Number({
    minimum: 0,
    maximum: 10,
    description: 'Records with a lower score (0 to 10) are dropped',
  }),
});

export type Judge = Static<typeof JudgeSchema>;

const InputSchema = namedObject('SynthesisInput', {
  prefix: Type.String(),
  fileTypes: Type.Array(Type.String()),
  textField: nullable(Type.String()),
});

const perSample = { minimum: 1, maximum: 100, description: 'Records per sample, one call each' };

const maxSamples = {
  minimum: 1,
  maximum: 10_000_000,
  description: 'Maximum number of samples; only the first ones are used',
};

const provenance = Type.Boolean({
  description: 'Whether each record in the result has `_source`: its record, file, row or chunk, model and template',
});

/** Fields of a synthesis task beyond those of all tasks. */
const synthesisFields = {
  templateId: IdSchema,
  templateName: Type.String(),
  templateVersion: Type.Integer({ description: 'The task uses this version until it is changed' }),
  variables: VariablesSchema,
  sourceDatasetId: IdSchema,
  sourceDatasetName: Type.String(),
  sourceVersion: nullable(Type.Integer({ description: 'Null: the latest version when a run starts' })),
  input: InputSchema,
  chunking: ChunkingSchema,
  model: Type.String({ description: 'Id of the model' }),
  perSample: Type.Integer(perSample),
  maxSamples: nullable(Type.Integer(maxSamples)),
  checks: ChecksSchema,
  judge: Type.Union([JudgeSchema, Type.Null()]),
  format: oneOf('SynthesisFormat', outputFormats),
  provenance,
  budget: BudgetSchema,
  targetDatasetId: nullable(Type.String({ description: 'Null until a run has created the dataset' })),
  targetDatasetName: Type.String(),
};

export type SynthesisFields = Static<TObject<typeof synthesisFields>>;

export const SynthesisTaskSchema = taskSchema('SynthesisTask', synthesisFields);

const newFields = {
  templateId: IdSchema,
  templateVersion: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Default: the latest version' }),
  ),
  variables: Type.Optional(VariablesSchema),
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: the latest' })),
  ),
  input: Type.Optional(NewInputSchema),
  chunking: Type.Optional(NewChunkingSchema),
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Id of a model of the kind CHAT, or builtin:cloze' }),
  perSample: Type.Optional(Type.Integer(perSample)),
  maxSamples: Type.Optional(nullable(Type.Integer(maxSamples))),
  checks: Type.Optional(ChecksSchema),
  judge: Type.Optional(Type.Union([JudgeSchema, Type.Null()])),
  format: Type.Optional(oneOf('SynthesisFormat', outputFormats, { description: 'Format of the result; default: RAW' })),
  provenance: Type.Optional(provenance),
  budget: Type.Optional(BudgetSchema),
  targetDatasetId: Type.Optional(IdSchema),
  targetDatasetName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of a new dataset; default: "<source> (synthetic)"',
    }),
  ),
};

export const NewSynthesisTaskBody = newTaskSchema('NewSynthesisTask', {
  ...newFields,
  autoStart: Type.Optional(Type.Boolean({ description: 'false: the task is created but not executed' })),
});

export type NewSynthesisTask = Static<typeof NewSynthesisTaskBody>;

export const SynthesisTaskChangesBody = taskChangesSchema('SynthesisTaskChanges', newFields);

export const synthesisBodyLimit = 512 * 1024;
