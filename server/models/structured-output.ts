import { RE2JS } from 're2js';
import { Compile } from 'typebox/schema';
import { parseExactly } from '../kernel/exact-json.ts';
import { parseJsonText } from '../kernel/json-text.ts';
import { foreign, type Reason } from '../kernel/sentences/index.ts';
import type { ChatMessage, ReplySchema } from './providers/provider.ts';
import { modelSentences } from './sentences.ts';

/** Asks for a reply that matches a schema, if the provider cannot enforce it. */
export function schemaInstruction(schema: ReplySchema): ChatMessage {
  return {
    role: 'user',
    content: `Reply with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`,
  };
}

/** Asks the model to repair a reply that did not match. */
export function repairMessages(messages: readonly ChatMessage[], reply: string, problem: string): ChatMessage[] {
  return [
    ...messages,
    { role: 'assistant', content: reply === '' ? '(empty)' : reply },
    {
      role: 'user',
      content: `That does not fit the schema: ${problem}. Reply again with the corrected JSON value alone.`,
    },
  ];
}

/** `exactValue`: the value, but numbers that a double would change keep their digits. */
export type CheckedReply = { value: unknown; exactValue: unknown } | { problem: Reason };

/** Checks whether the text of a reply matches a schema. */
export type ReplyCheck = (text: string) => CheckedReply;

const checks = new Map<string, ReplyCheck>();
const keptChecks = 100;

/** Compiles the check of a schema; throws an Error if the schema is invalid. */
export function replyCheckOf(schema: ReplySchema): ReplyCheck {
  const key = JSON.stringify(schema);
  const known = checks.get(key);
  if (known !== undefined) return known;
  const validator = Compile(checkableOf(schema) as object);
  const check: ReplyCheck = (text) => {
    const parsed = parseReply(text);
    if ('problem' in parsed) return parsed;
    if (validator.Check(parsed.value)) return parsed;
    const [, errors] = validator.Errors(parsed.value);
    const [first] = errors;
    if (first === undefined) return { problem: modelSentences.REPLY_UNFIT_SOMEHOW.reason({}) };
    return { problem: foreign(`${first.instancePath || 'the value'} ${first.message}`) };
  };
  const [oldest] = checks.keys();
  if (checks.size >= keptChecks && oldest !== undefined) checks.delete(oldest);
  checks.set(key, check);
  return check;
}

/** Maximum length of a chain of references: as many as any useful schema has levels. */
const deepestReference = 20;

/**
 * A schema in the form that is checked: `$ref`s to its own `$defs` are resolved, and patterns run on RE2, so that a
 * check takes linear time for every reply. Throws an Error for a reference that is external, dangling or circular.
 */
function checkableOf(schema: ReplySchema): unknown {
  const definitions = (schema['$defs'] ?? {}) as Readonly<Record<string, unknown>>;
  const visit = (node: unknown, references: number): unknown => {
    if (Array.isArray(node)) return node.map((one) => visit(one, references));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, $defs: _definitions, pattern, properties, enum: values, const: value, ...rest } = node as Keywords;
    if ($ref !== undefined) {
      const name = /^#\/\$defs\/([A-Za-z0-9_.-]+)$/.exec($ref)?.[1];
      if (name === undefined || !Object.hasOwn(definitions, name)) throw new Error(`${$ref} names nothing in $defs`);
      if (references >= deepestReference) throw new Error(`${$ref} refers to itself`);
      return visit(definitions[name], references + 1);
    }
    const checkable = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, visit(one, references)]));
    // The members of these are values or names, not keywords.
    if (values !== undefined) checkable['enum'] = values;
    if (value !== undefined) checkable['const'] = value;
    if (properties !== undefined)
      checkable['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, visit(one, references)]),
      );
    if (pattern !== undefined) checkable['~refine'] = [refinementOf(pattern)];
    return checkable;
  };
  return visit(schema, 0);
}

type Keywords = {
  $ref?: string;
  $defs?: unknown;
  pattern?: string;
  properties?: Readonly<Record<string, unknown>>;
  enum?: unknown;
  const?: unknown;
};

function refinementOf(pattern: string) {
  const compiled = RE2JS.compile(pattern);
  return {
    check: (value: unknown) => typeof value !== 'string' || compiled.matcher(value).find(),
    error: () => `must match pattern "${pattern}"`,
  };
}

/** The JSON of a reply: on its own, in a code fence, or surrounded by other text. */
function parseReply(text: string): CheckedReply {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([^]*?)\n?```$/i.exec(trimmed)?.[1];
  const candidates = [trimmed, fenced, betweenBrackets(trimmed, '{', '}'), betweenBrackets(trimmed, '[', ']')];
  for (const candidate of candidates) {
    if (candidate === undefined || candidate === '') continue;
    try {
      return { value: parseJsonText(candidate), exactValue: parseExactly(candidate) };
    } catch {
      // Try the next form.
    }
  }
  const problem = trimmed === '' ? modelSentences.REPLY_UNFIT_EMPTY : modelSentences.REPLY_UNFIT_NO_JSON;
  return { problem: problem.reason({}) };
}

function betweenBrackets(text: string, open: string, close: string): string | undefined {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)];
  return start === -1 || end <= start ? undefined : text.slice(start, end + 1);
}
