import { type Static, Type } from 'typebox';
import { NewChunkingSchema } from '../../../chunking/schemas.ts';
import { codeFields, IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { TemplateChangesBody } from './templates.ts';
import { MendedSchema, MessageSchema, UsageSchema } from './calls.ts';
import { ColumnValueSchema } from './columns.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const NewInputSchema = namedObject('NewSynthesisInput', {
  prefix: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Folder of the source; default: the whole source' }),
  ),
  fileTypes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 20 }), { maxItems: 50, description: 'Extensions; default: all' }),
  ),
  textField: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Column used as `text` in rows; default: `text`, otherwise the only one with text',
    }),
  ),
});

export type NewSourceInput = Static<typeof NewInputSchema>;

export const VariablesSchema = recordOf(Type.String({ maxLength: 10_000 }), {
  maxProperties: 50,
  description: 'Values of the template variables by name',
});

export const SampleSourceSchema = namedObject('SynthesisSource', {
  fileId: IdSchema,
  filePath: Type.String(),
  version: Type.Integer({ description: 'Version of the source dataset' }),
  row: nullable(Type.Integer({ description: 'Row of a table, from 1' })),
  start: nullable(Type.Integer({ description: 'Offset of the chunk in a document, in code points of its text' })),
  end: nullable(Type.Integer()),
});

export type RecordSource = Static<typeof SampleSourceSchema>;

export const PreviewBody = namedObject('NewSynthesisPreview', {
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 3, description: 'Samples' })),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Id of a model of the kind CHAT; without it, no model is called',
    }),
  ),
  variables: Type.Optional(VariablesSchema),
  input: Type.Optional(NewInputSchema),
  chunking: Type.Optional(NewChunkingSchema),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Version of the template; default: the latest' }),
  ),
  changes: Type.Optional(TemplateChangesBody),
});

export type NewSynthesisPreview = Static<typeof PreviewBody>;

export const synthesisVerdicts = ['KEPT', 'DROPPED', 'FAILED'] as const;

const PreviewRecordSchema = namedObject('SynthesisPreviewRecord', {
  verdict: oneOf('SynthesisVerdict', synthesisVerdicts),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
  column: nullable(Type.String({ description: 'The column at which it was dropped or failed' })),
  output: Type.Union([recordOf(Type.Unknown()), Type.Null()]),
  thinking: nullable(
    Type.String({
      description: 'Reasoning of the model before its answer; counted in the usage, not part of the record',
    }),
  ),
  usage: UsageSchema,
  mended: MendedSchema,
});

export const PreviewSchema = namedObject('SynthesisPreview', {
  samples: Type.Array(
    namedObject('SynthesisPreviewSample', {
      source: SampleSourceSchema,
      messages: Type.Array(MessageSchema, {
        description: 'Empty for a template with columns, each of which has its own',
      }),
      columns: Type.Union([Type.Array(ColumnValueSchema), Type.Null()], {
        description:
          'In generation order; null for a template with one prompt. Without a model, `…` stands for what it would write',
      }),
      tokens: Type.Integer({ description: 'Tokens of all messages, counted as o200k_base' }),
      problem: nullable(Type.String({ description: 'Why the sample cannot be used and would be FAILED' })),
      ...codeFields('problem'),
      record: Type.Optional(PreviewRecordSchema),
    }),
  ),
  tokens: Type.Integer({ description: 'Tokens of all messages' }),
  inputCost: nullable(
    Type.Number({ description: 'Price of these tokens with the given model; null without a model or without prices' }),
  ),
});

export type SynthesisPreview = Static<typeof PreviewSchema>;
