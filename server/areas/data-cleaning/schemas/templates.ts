import { type Static, type TObject, Type } from 'typebox';
import { namedObject } from '../../../http/schemas.ts';
import {
  newTemplateSchema,
  templateChangesSchema,
  templateSchema,
  templatesQuery,
} from '../../../tasks/template-schemas.ts';
import { StepsSchema } from './tasks.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const TemplateStepSchema = namedObject('CleaningTemplateStep', {
  operatorId: Type.String(),
  version: Type.Optional(Type.String({ description: 'Default: the installed version' })),
  params: recordOf(Type.Unknown()),
});

const templateSteps = { steps: Type.Array(TemplateStepSchema) };

export type TemplateSteps = Static<TObject<typeof templateSteps>>;

export const TemplateSchema = templateSchema('CleaningTemplate', templateSteps);

export const NewTemplateBody = newTemplateSchema('NewCleaningTemplate', { steps: StepsSchema });

export type NewTemplate = Static<typeof NewTemplateBody>;

export const TemplateChangesBody = templateChangesSchema('CleaningTemplateChanges', { steps: StepsSchema });

export const TemplatesQuery = templatesQuery('CleaningTemplateSort', {});
