import type {
  NewSynthesisTemplate,
  SynthesisColumn,
  SynthesisChecks,
  SynthesisParameters,
  SynthesisTemplate,
  SynthesisTemplateLanguage,
  SynthesisTemplateType,
  SynthesisVariable,
} from '../../api/schema.ts';
import { isBroken, type ColumnDraft } from './column-draft.ts';

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

/** An instruction template being edited; the schema of its records is text, possibly not valid JSON yet. */
export type TemplateDraft = {
  name: string;
  description: string;
  type: SynthesisTemplateType;
  language: SynthesisTemplateLanguage | null;
  systemPrompt: string;
  prompt: string;
  /** Replaces the prompt; null for a template with a prompt. */
  columns: readonly ColumnDraft[] | null;
  variables: readonly SynthesisVariable[];
  schemaText: string;
  parameters: SynthesisParameters;
  checks: SynthesisChecks;
};

type Shown = Pick<SynthesisTemplate, 'name' | 'description'> &
  Pick<SynthesisTemplate, 'type' | 'language' | 'systemPrompt' | 'prompt' | 'variables' | 'outputSchema' | 'columns'> &
  Pick<SynthesisTemplate, 'parameters' | 'checks'>;

export function templateDraftOf(template: Shown): TemplateDraft {
  const { name, description, type, language, prompt, variables, parameters, checks } = template;
  return {
    name,
    description,
    type,
    language,
    systemPrompt: template.systemPrompt ?? '',
    prompt,
    columns: template.columns,
    variables,
    schemaText: template.outputSchema === null ? '' : JSON.stringify(template.outputSchema, undefined, 2),
    parameters,
    checks,
  };
}

/** Parses a schema: null for empty text, undefined for text that is not a JSON object. */
export function readSchema(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether part of a draft can not be parsed, so that it can not be sent. */
export function isUnreadable({ columns, schemaText }: TemplateDraft): boolean {
  return columns === null ? readSchema(schemaText) === undefined : columns.some(isBroken);
}

/** The request body for a draft that can be parsed. */
export function bodyOfTemplate(draft: TemplateDraft): NewSynthesisTemplate {
  const { name, description, type, language, prompt, parameters, checks } = draft;
  return {
    name: name.trim(),
    description,
    type,
    language,
    ...(draft.columns === null
      ? {
          systemPrompt: draft.systemPrompt.trim() === '' ? null : draft.systemPrompt,
          prompt,
          outputSchema: readSchema(draft.schemaText) ?? null,
        }
      : { columns: draft.columns as SynthesisColumn[] }),
    variables: draft.variables.map(({ name: variable, description: about, default: preset }) => ({
      name: variable,
      ...(about === undefined || about === '' ? {} : { description: about }),
      ...(preset === undefined ? {} : { default: preset }),
    })),
    parameters,
    checks,
  };
}

/** The variables that prompts use but nobody has declared. */
export function undeclaredOf({ prompt, systemPrompt, variables, columns }: TemplateDraft): string[] {
  if (columns !== null) return [];
  const declared = new Set(variables.map(({ name }) => name));
  const named = [...`${systemPrompt}\n${prompt}`.matchAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g)].map(
    ([, name = '']) => name,
  );
  return [...new Set(named)].filter((name) => !declared.has(name) && name !== 'text');
}
