import { invalid } from '../../kernel/errors.ts';
import { checkText } from '../../kernel/text-fields.ts';
import { fieldNamesOf, parseOutputSchema } from './output-schema.ts';
import { synthesisProblems as problems } from './sentences.ts';
import { isOfSource, variablesOf } from './prompts.ts';
import type { NewInstructionTemplate, InstructionDefinition } from './template-schemas.ts';

const reserved = new Set(['text', 'row', 'file']);

/** A template with all defaults, checked. Throws INVALID_PARAMETER. */
export function parseTemplate(given: NewInstructionTemplate): InstructionDefinition {
  const { type, language = null, systemPrompt = null, prompt, variables = [], outputSchema = null } = given;
  const { parameters = {}, checks = {} } = given;
  if (prompt.trim() === '') throw invalid('prompt', 'must not be blank');
  const names = variables.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (reserved.has(name)) throw invalid(`variables[${index}].name`, problems.VARIABLE_RESERVED({}));
    if (names.indexOf(name) !== index) throw invalid('variables', 'must not hold an item twice');
  }
  checkVariables('prompt', prompt, names);
  if (systemPrompt !== null) checkVariables('systemPrompt', systemPrompt, names);
  const schema = outputSchema === null ? null : parseOutputSchema('outputSchema', outputSchema);
  const { grounding } = checks;
  if (grounding !== undefined && grounding !== null && !fieldNamesOf(schema).includes(grounding.field))
    throw invalid('checks.grounding.field', problems.GROUNDING_FIELD({ field: grounding.field }));
  return {
    type,
    language,
    systemPrompt: systemPrompt === null || systemPrompt.trim() === '' ? null : systemPrompt,
    prompt,
    variables: variables.map((variable) => ({ ...variable })),
    outputSchema: schema,
    parameters,
    checks,
  };
}

function checkVariables(field: string, prompt: string, declared: readonly string[]): void {
  checkText(field, prompt);
  for (const variable of variablesOf(prompt)) {
    if (isOfSource(variable) && variable !== 'row.') continue;
    if (!declared.includes(variable)) throw invalid(field, problems.VARIABLE_UNDECLARED({ variable }));
  }
}

/** The values of all variables: given ones, otherwise their defaults. Throws INVALID_PARAMETER. */
export function valuesOf(
  { variables }: Pick<InstructionDefinition, 'variables'>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const unknown = Object.keys(given).find((name) => !variables.some((variable) => variable.name === name));
  if (unknown !== undefined) throw invalid(`variables.${unknown}`, problems.VARIABLE_UNKNOWN({}));
  return Object.fromEntries(
    variables.map(({ name, default: preset }) => {
      const value = Object.hasOwn(given, name) ? given[name] : preset;
      if (value === undefined) throw invalid(`variables.${name}`, 'is required');
      return [name, value];
    }),
  );
}
