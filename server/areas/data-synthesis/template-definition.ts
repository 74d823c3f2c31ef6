import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { checkText } from '../../kernel/text-fields.ts';
import { parseColumns } from './columns/column-definitions.ts';
import type { RecordColumn } from './schemas/columns.ts';
import { parseOutputSchema, reservedNames } from './output-schema.ts';
import { recordFieldsOf } from './record-schema.ts';
import { synthesisProblems as problems } from './sentences.ts';
import { isOfSource, variablesOf } from './prompts.ts';
import type { InstructionChanges, NewInstructionTemplate, InstructionDefinition } from './schemas/templates.ts';

const reserved = new Set(['text', 'row', 'file']);

/** Checks a template and fills in its defaults. Throws INVALID_PARAMETER. */
export function parseTemplate(given: NewInstructionTemplate): InstructionDefinition {
  const { type, language = null, variables = [], parameters = {}, checks = {} } = given;
  const names = variables.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (reserved.has(name)) throw invalid(`variables[${index}].name`, problems.VARIABLE_RESERVED.reason({}));
    if (reservedNames.has(name)) throw invalid(`variables[${index}].name`, problems.NAME_RESERVED.reason({ name }));
    if (names.indexOf(name) !== index) throw invalid('variables', parameterProblems.MUST_NOT_HOLD_TWICE.reason({}));
  }
  const definition: InstructionDefinition = {
    type,
    language,
    ...(given.columns === undefined || given.columns === null
      ? parsePrompt(given, names)
      : parseGraph(given, given.columns, names)),
    variables: variables.map((variable) => ({ ...variable })),
    parameters,
    checks,
  };
  const { grounding } = checks;
  if (grounding !== undefined && grounding !== null && !recordFieldsOf(definition).includes(grounding.field))
    throw invalid('checks.grounding.field', problems.GROUNDING_FIELD.reason({ field: grounding.field }));
  return definition;
}

/** Applies changes to a definition: columns replace a prompt, and vice versa. */
export function withChanges(
  { prompt, systemPrompt, outputSchema, columns, ...rest }: InstructionDefinition,
  changes: InstructionChanges,
): InstructionChanges & Pick<NewInstructionTemplate, 'type'> {
  const wantsColumns = changes.columns !== undefined && changes.columns !== null;
  const keepsColumns = columns !== undefined && changes.columns === undefined && changes.prompt === undefined;
  const keepsPrompt = columns === undefined && !wantsColumns;
  return {
    ...rest,
    ...(keepsColumns ? { columns } : {}),
    ...(keepsPrompt ? { prompt, systemPrompt, outputSchema } : {}),
    ...changes,
  };
}

type Asking = Pick<InstructionDefinition, 'systemPrompt' | 'prompt' | 'outputSchema' | 'columns'>;

function parsePrompt({ systemPrompt, prompt, outputSchema }: NewInstructionTemplate, names: readonly string[]): Asking {
  if (prompt === undefined) throw invalid('prompt', parameterProblems.IS_REQUIRED_OR.reason({ other: 'columns' }));
  if (prompt.trim() === '') throw invalid('prompt', parameterProblems.MUST_NOT_BE_BLANK.reason({}));
  checkVariables('prompt', prompt, names);
  const system = systemPrompt ?? '';
  checkVariables('systemPrompt', system, names);
  return {
    systemPrompt: system.trim() === '' ? null : system,
    prompt,
    outputSchema:
      outputSchema === undefined || outputSchema === null ? null : parseOutputSchema('outputSchema', outputSchema),
  };
}

function parseGraph(given: NewInstructionTemplate, columns: readonly RecordColumn[], names: readonly string[]): Asking {
  for (const name of ['prompt', 'systemPrompt', 'outputSchema'] as const)
    if (given[name] !== undefined && given[name] !== null && given[name] !== '')
      throw invalid(name, parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'columns' }));
  return { systemPrompt: null, prompt: '', outputSchema: null, columns: parseColumns(columns, names) };
}

function checkVariables(field: string, prompt: string, declared: readonly string[]): void {
  checkText(field, prompt);
  for (const variable of variablesOf(prompt)) {
    if (isOfSource(variable) && variable !== 'row.') continue;
    if (!declared.includes(variable)) throw invalid(field, problems.VARIABLE_UNDECLARED.reason({ variable }));
  }
}

/** The values of all variables: given, or else defaults. Throws INVALID_PARAMETER. */
export function valuesOf(
  { variables }: Pick<InstructionDefinition, 'variables'>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const unknown = Object.keys(given).find((name) => !variables.some((variable) => variable.name === name));
  if (unknown !== undefined) throw invalid(`variables.${unknown}`, problems.VARIABLE_UNKNOWN.reason({}));
  return Object.fromEntries(
    variables.map(({ name, default: preset }) => {
      const value = Object.hasOwn(given, name) ? given[name] : preset;
      if (value === undefined) throw invalid(`variables.${name}`, parameterProblems.IS_REQUIRED.reason({}));
      return [name, value];
    }),
  );
}
