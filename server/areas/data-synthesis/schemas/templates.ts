import { type Static, type TObject, Type } from 'typebox';
import { namedObject, nullable, oneOf, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';
import {
  newTemplateSchema,
  templateChangesSchema,
  templateSchema,
  templatesQuery,
} from '../../../tasks/template-schemas.ts';
import { ColumnSchema, mostColumns, type RecordColumn } from './columns.ts';
import { ChecksSchema, outputSchemaDescription, ParametersSchema } from './generations.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

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

const VariableSchema = namedObject('SynthesisVariable', {
  name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', description: 'Not `text`, `row` or `file`' }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  default: Type.Optional(
    Type.String({ maxLength: 10_000, description: 'Without a default, the task must set a value' }),
  ),
});

const definitionFields = {
  type: oneOf('SynthesisTemplateType', templateTypes),
  language: Type.Union([oneOf('SynthesisTemplateLanguage', ['en', 'zh']), Type.Null()], {
    description: 'Language of the prompt',
  }),
  systemPrompt: nullable(Type.String()),
  prompt: Type.String({
    description:
      'May use `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. Content from the source is enclosed in `<text>` or `<field>` tags that it cannot close, ' +
      'and the model is told that it is data. Empty for a template with columns',
  }),
  columns: Type.Union([Type.Array(ColumnSchema), Type.Null()], {
    description: 'Columns of each record; replaces `prompt`, `systemPrompt` and `outputSchema`',
  }),
  variables: Type.Array(VariableSchema),
  outputSchema: Type.Union([recordOf(Type.Unknown()), Type.Null()], {
    description: outputSchemaDescription,
  }),
  parameters: ParametersSchema,
  checks: ChecksSchema,
};

/** Template fields beyond those of all templates. */
const instructionFields = {
  ...definitionFields,
  version: Type.Integer({ description: 'From 1; each change creates the next version' }),
};

export type InstructionFields = Static<TObject<typeof instructionFields>>;

export const TemplateSchema = templateSchema('SynthesisTemplate', instructionFields);

export const TemplateVersionSchema = namedObject('SynthesisTemplateVersion', {
  version: Type.Integer(),
  ...definitionFields,
  createdAt: TimestampSchema,
  createdBy: Type.String(),
});

export type InstructionVersion = Static<typeof TemplateVersionSchema>;

export const TemplateVersionPageSchema = pageOf(TemplateVersionSchema);

/** The part of a template that determines its records. */
export type InstructionDefinition = Omit<InstructionVersion, 'version' | 'createdAt' | 'createdBy' | 'columns'> & {
  columns?: RecordColumn[];
};

const prompt = Type.String({ minLength: 1, maxLength: 50_000 });

const newDefinitionFields = {
  type: definitionFields.type,
  language: Type.Optional(definitionFields.language),
  systemPrompt: Type.Optional(nullable(Type.String({ maxLength: 50_000 }))),
  prompt: Type.Optional(prompt),
  columns: Type.Optional(
    Type.Union([Type.Array(ColumnSchema, { minItems: 1, maxItems: mostColumns }), Type.Null()], {
      description: 'Replaces `prompt`; cycles, unknown names and duplicate names are refused',
    }),
  ),
  variables: Type.Optional(Type.Array(VariableSchema, { maxItems: 50 })),
  outputSchema: Type.Optional(
    Type.Union([recordOf(Type.Unknown(), { maxProperties: 50 }), Type.Null()], {
      description: outputSchemaDescription,
    }),
  ),
  parameters: Type.Optional(ParametersSchema),
  checks: Type.Optional(ChecksSchema),
};

export const NewTemplateBody = newTemplateSchema('NewSynthesisTemplate', newDefinitionFields);

export type NewInstructionTemplate = Static<typeof NewTemplateBody>;

export const TemplateChangesBody = templateChangesSchema('SynthesisTemplateChanges', newDefinitionFields);

export type InstructionChanges = Static<typeof TemplateChangesBody>;

export const InstructionsQuery = templatesQuery('SynthesisTemplateSort', {
  keyword: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or description' })),
  type: Type.Optional(definitionFields.type),
});

export const InstructionVersionsQuery = Type.Object(pageQuery);

export type InstructionVersionsQuery = Static<typeof InstructionVersionsQuery>;
