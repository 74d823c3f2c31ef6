import { ReasonedError } from '../kernel/reasoned-error.ts';
import type { ModelQuestion, ModelReply } from '../operators/index.ts';
import { packageProblems } from './sentences.ts';

/** Maximum number of questions about one sample. */
export const mostQuestions = 8;

const limits = { messages: 20, characters: 200_000, schema: 20_000, tokens: 16_384 };

/**
 * Reads published code's question to a model: the code answers a sample with `{ ask: { model, messages, schema?,
 * maxTokens?, temperature? } }` and receives the sample again with the `replies` to all its questions. Undefined for
 * any other answer; an Error for a question that is not allowed: to a model that the manifest does not name, too long,
 * or malformed.
 */
export function readQuestion(
  outcome: unknown,
  models: readonly string[] | undefined,
): ModelQuestion | Error | undefined {
  if (typeof outcome !== 'object' || outcome === null || !('ask' in outcome)) return undefined;
  if (models === undefined) return new ReasonedError(packageProblems.ASKS_WITHOUT_CAPABILITY.reason({}));
  const { model, messages, schema, maxTokens, temperature, ...others } = asObject(outcome.ask);
  const unreadable = (field: string): Error => new ReasonedError(packageProblems.QUESTION_UNREADABLE.reason({ field }));
  const [other] = Object.keys(others);
  if (other !== undefined) return unreadable(other);
  if (typeof model !== 'string') return unreadable('model');
  if (!models.includes(model)) {
    return new ReasonedError(
      packageProblems.MODEL_NOT_DECLARED.reason({ model: model.slice(0, 100), models: models.join(', ') }),
    );
  }
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > limits.messages) {
    return unreadable('messages');
  }
  const read = messages.map(readMessage);
  let characters = 0;
  for (const message of read) {
    if (message === undefined) return unreadable('messages');
    characters += message.content.length;
  }
  if (characters > limits.characters) {
    return new ReasonedError(packageProblems.QUESTION_TOO_LONG.reason({ characters, limit: limits.characters }));
  }
  if (schema !== undefined) {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return unreadable('schema');
    if (JSON.stringify(schema).length > limits.schema) return unreadable('schema');
  }
  if (maxTokens !== undefined && !isNumber(maxTokens, 1, limits.tokens, true)) return unreadable('maxTokens');
  if (temperature !== undefined && !isNumber(temperature, 0, 2, false)) return unreadable('temperature');
  return {
    model,
    messages: read.flatMap((message) => message ?? []),
    ...(schema === undefined ? {} : { schema: schema as Readonly<Record<string, unknown>> }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** A reply in the form that the code receives: the text, or the JSON that matches its schema. */
export function replyText({ text, value }: Pick<ModelReply, 'text' | 'value'>): string {
  return value === undefined ? text : JSON.stringify(value);
}

function readMessage(message: unknown): ModelQuestion['messages'][number] | undefined {
  const { role, content } = asObject(message);
  if ((role !== 'system' && role !== 'user') || typeof content !== 'string') return undefined;
  return { role, content: content.toWellFormed() };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isNumber(value: unknown, from: number, to: number, isWhole: boolean): value is number {
  return typeof value === 'number' && value >= from && value <= to && (!isWhole || Number.isInteger(value));
}
