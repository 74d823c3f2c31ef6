import { type Static, Type } from 'typebox';
import { IdSchema, named, namedObject, pageOf, pageQuery, sortQuery, TimestampSchema } from '../../../http/schemas.ts';
import { StepsSchema } from './tasks.ts';

const TemplateStepSchema = namedObject('CleaningTemplateStep', {
  operatorId: Type.String(),
  version: Type.Optional(Type.String({ description: 'Default: the installed version' })),
  params: Type.Record(Type.String(), Type.Unknown()),
});

export const TemplateSchema = namedObject('CleaningTemplate', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  steps: Type.Array(TemplateStepSchema),
  builtIn: Type.Boolean({ description: 'Built in: can be neither changed nor deleted' }),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  updatedBy: Type.String(),
});

export type Template = Static<typeof TemplateSchema>;

export const TemplatePageSchema = pageOf(TemplateSchema);

export const NewTemplateBody = namedObject('NewCleaningTemplate', {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique without regard to case' }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  steps: StepsSchema,
});

export type NewTemplate = Static<typeof NewTemplateBody>;

export const TemplateChangesBody = named('CleaningTemplateChanges', Type.Partial(NewTemplateBody));

export type TemplateChanges = Static<typeof TemplateChangesBody>;

export const templateSortFields = ['name', 'createdAt', 'updatedAt'] as const;

export const TemplatesQuery = Type.Object({
  ...pageQuery,
  keyword: Type.Optional(Type.String({ description: 'Part of the name or description' })),
  builtIn: Type.Optional(Type.Boolean({ description: 'true: only built-in templates; false: only the others' })),
  sort: sortQuery('CleaningTemplateSort', templateSortFields),
});

export type TemplatesQuery = Static<typeof TemplatesQuery>;
