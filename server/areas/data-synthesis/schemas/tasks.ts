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
      'Hard caps over a run and the runs that resume it: the worst case of a call is reserved before it is made. Reaching one stops the run; ' +
      'it can be resumed after the cap was raised. A cap that is left out limits nothing; with 0, no call is made, and only stored replies are used',
  },
);

const JudgeSchema = namedObject('SynthesisJudge', {
  rubric: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the judge is to grade, and how' }),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Default: the model of the task' })),
  minScore: Type.Number({
    minimum: 0,
    maximum: 10,
    description: 'Records with a lower score, of 0 to 10, are dropped',
  }),
});

export type Judge = Static<typeof JudgeSchema>;

const InputSchema = namedObject('SynthesisInput', {
  prefix: Type.String(),
  fileTypes: Type.Array(Type.String()),
  textField: nullable(Type.String()),
});

const perSample = { minimum: 1, maximum: 100, description: 'Records of each sample, one call each' };

const maxSamples = { minimum: 1, maximum: 10_000_000, description: 'Only the first samples are used' };

const provenance = Type.Boolean({
  description: 'Whether the result has `_source`: record, file, row or chunk, model and template of each record',
});

/** Fields of a synthesis task beyond those of all tasks. */
const synthesisFields = {
  templateId: IdSchema,
  templateName: Type.String(),
  templateVersion: Type.Integer({ description: 'The task uses this version until it is changed' }),
  variables: VariablesSchema,
  sourceDatasetId: IdSchema,
  sourceDatasetName: Type.String(),
  sourceVersion: nullable(Type.Integer({ description: 'Null: the latest when a run starts' })),
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
  format: Type.Optional(oneOf('SynthesisFormat', outputFormats, { description: 'Of the result; default: RAW' })),
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
  autoStart: Type.Optional(Type.Boolean({ description: 'false: the task is created and not executed' })),
});

export type NewSynthesisTask = Static<typeof NewSynthesisTaskBody>;

export const SynthesisTaskChangesBody = taskChangesSchema('SynthesisTaskChanges', newFields);

export const synthesisBodyLimit = 512 * 1024;
