import { RE2JS } from 're2js';
import { Compile } from 'typebox/schema';
import { parseExactly } from '../kernel/exact-json.ts';
import { parseJsonText } from '../kernel/json-text.ts';
import { foreign, type Reason } from '../kernel/sentences/index.ts';
import { mendJson, type Mending } from '../kernel/near-json.ts';
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

/**
 * `exactValue`: the value, but numbers that a double would change keep their digits. `mended`: what was changed so that the
 * text became JSON that fits.
 */
export type CheckedReply = JsonReply | { problem: Reason };

type JsonReply = { value: unknown; exactValue: unknown; mended: readonly Mending[] };

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
    let first: JsonReply | undefined;
    for (const reply of readings(text)) {
      if (validator.Check(reply.value)) return reply;
      first ??= reply;
    }
    if (first === undefined) {
      const problem = text.trim() === '' ? modelSentences.REPLY_UNFIT_EMPTY : modelSentences.REPLY_UNFIT_NO_JSON;
      return { problem: problem.reason({}) };
    }
    const [, errors] = validator.Errors(first.value);
    const [error] = errors;
    if (error === undefined) return { problem: modelSentences.REPLY_UNFIT_SOMEHOW.reason({}) };
    return { problem: foreign(`${error.instancePath || 'the value'} ${error.message}`) };
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

/** The values that a reply may mean, from those that need the fewest changes on. */
function* readings(text: string): Generator<JsonReply> {
  const found = candidates(text.trim());
  for (const { json, mended } of found) yield* asGivenOrWithin(json, mended);
  for (const { json, mended } of found) {
    const mending = mendJson(json);
    if (mending !== undefined) yield* asGivenOrWithin(mending.json, [...mended, ...mending.mended]);
  }
}

type Candidate = { json: string; mended: readonly Mending[] };

/** Where the JSON of a reply may be: on its own, in a code fence, or surrounded by other text. */
function candidates(text: string): Candidate[] {
  const fenced = /^```(?:json)?\s*\n([^]*?)\n?```$/i.exec(text)?.[1]?.trim();
  const found: Candidate[] = [{ json: text, mended: [] }];
  if (fenced !== undefined) found.push({ json: fenced, mended: ['CODE_FENCE'] });
  for (const json of [betweenBrackets(text, '{', '}'), betweenBrackets(text, '[', ']')])
    if (json !== undefined && found.every((other) => other.json !== json))
      found.push({ json, mended: ['TEXT_AROUND'] });
  return found.filter(({ json }) => json !== '');
}

/** A JSON text; also the only element of its list, and the JSON within its string. Nothing if it is no JSON. */
function* asGivenOrWithin(json: string, mended: readonly Mending[]): Generator<JsonReply> {
  const reply = parsed(json, mended);
  if (reply === undefined) return;
  yield reply;
  const { value, exactValue } = reply;
  if (Array.isArray(value) && value.length === 1)
    yield { value: value[0], exactValue: (exactValue as unknown[])[0], mended: [...mended, 'LIST_OF_ONE'] };
  if (typeof value !== 'string') return;
  const inner = parsed(value, [...mended, 'JSON_IN_STRING']);
  if (inner !== undefined) yield inner;
}

function parsed(json: string, mended: readonly Mending[]): JsonReply | undefined {
  try {
    return { value: parseJsonText(json), exactValue: parseExactly(json), mended };
  } catch {
    return undefined;
  }
}

function betweenBrackets(text: string, open: string, close: string): string | undefined {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close) + 1];
  if (start === -1 || end <= start) return undefined;
  // Part of a list or object that was cut off.
  const around = text.slice(0, start) + text.slice(end);
  // … or shortened.
  const isShortened = /[[{]/.test(around) && /\.\.\.|\u2026/.test(around);
  return isBalanced(around) && !isShortened ? text.slice(start, end) : undefined;
}

function isBalanced(text: string): boolean {
  const count = (character: string): number => text.split(character).length;
  return count('[') === count(']') && count('{') === count('}');
}
