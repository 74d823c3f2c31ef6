import { ApiError } from '../../api/errors.ts';
import { saySentence } from '../../messages/sentences.ts';

/** What the service refused: the field by its path, such as `checks.grounding.field`, and the problem in words. */
export type Refusal = { field: string; text: string };

/** The field that a refusal names; undefined for any other error. */
export function refusalOf(error: unknown, language: string): Refusal | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { code, params } = error.sentence ?? {};
  if (code === 'SYNTHESIS_TEMPLATE_ALREADY_EXISTS')
    return { field: 'name', text: saySentence({ code, params }, error.message, language) };
  if (code !== 'INVALID_PARAMETER') return undefined;
  const { field, problem } = params as { field?: unknown; problem?: unknown };
  const said = problem as { code?: unknown; params?: unknown } | string | undefined;
  const original = error.message.slice(error.message.indexOf(' ') + 1);
  const text =
    typeof said === 'object' && typeof said.code === 'string'
      ? saySentence({ code: said.code, params: said.params }, original, language)
      : original;
  return { field: String(field), text };
}

/** The problem of a field or of anything nested in it. */
export function problemAt(refusal: Refusal | undefined, field: string): string | undefined {
  return refusal !== undefined &&
    (refusal.field === field || refusal.field.startsWith(`${field}.`) || refusal.field.startsWith(`${field}[`))
    ? refusal.text
    : undefined;
}
