import { ApiError } from '../../api/errors.ts';
import { saySentence } from '../../messages/sentences.ts';
import type { Field } from '../../ui/schema-fields.ts';

/** What the service refused in a source's configuration: the field, its label and the problem in words. */
export type SourceProblem = { name: string; label: string; text: string };

/** The field that a refusal such as `connector.config.path must be …` names; undefined for any other error. */
export function sourceProblemOf(error: unknown, fields: readonly Field[], language: string): SourceProblem | undefined {
  if (!(error instanceof ApiError) || error.sentence?.code !== 'INVALID_PARAMETER') return undefined;
  const { field: place, problem } = error.sentence.params as { field?: unknown; problem?: unknown };
  const name = /^(?:connector\.)?config\.(\w+)/.exec(String(place))?.[1];
  const field = fields.find((one) => one.name === name);
  if (field === undefined) return undefined;
  const said = problem as { code?: unknown; params?: unknown } | string | undefined;
  const original = error.message.slice(error.message.indexOf(' ') + 1);
  const text =
    typeof said === 'object' && typeof said.code === 'string'
      ? saySentence({ code: said.code, params: said.params }, original, language)
      : original;
  return { name: field.name, label: field.label, text };
}
