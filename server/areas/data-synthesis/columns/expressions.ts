import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { exactNumber, isExactNumber, toDouble, type ExactNumber } from '../../../kernel/exact-json.ts';
import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { foreign, type Reason } from '../../../kernel/sentences/index.ts';
import { synthesisReasons as reasons } from '../sentences.ts';

/** A CEL expression over named values. */
export type Expression = {
  /** The names it uses: columns, variables, `text`, `row` or `file`. */
  names: readonly string[];
  /** Returns its value as JSON; throws a ReasonedError if there is none. */
  evaluate(values: Readonly<Record<string, unknown>>): unknown;
};

/** Reserved words of CEL. */
const reserved =
  'as break const continue else false for function if import in let loop namespace null package return true var void while';
export const reservedWords: ReadonlySet<string> = new Set(reserved.split(' '));

/** Maximum length of a value in characters; every other scalar counts as one. */
export const longestValue = 1_000_000;

const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };
const loops = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** Parses an expression over the given names; throws a ReasonedError if it is invalid. */
export function parseExpression(text: string, known: readonly string[]): Expression {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits });
  for (const name of known) environment.registerVariable(name, 'dyn');
  try {
    const parsed = environment.parse(text);
    const names = namesOf(parsed.ast, new Set(known));
    const { valid, error } = parsed.check();
    if (!valid) throw error ?? new ReasonedError(reasons.EXPRESSION_NO_TYPE.reason({}));
    return {
      names,
      evaluate(values) {
        try {
          return bounded(parsed(Object.fromEntries(names.map((name) => [name, typed(values[name])]))));
        } catch (failure) {
          throw new ReasonedError(problemOf(failure), { cause: failure });
        }
      },
    };
  } catch (error) {
    throw new ReasonedError(problemOf(error), { cause: error });
  }
}

/** The reason of an error of this file, also if the library wraps it; of the library the message without an excerpt. */
function problemOf(error: unknown): Reason {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ReasonedError) return at.reason;
  return foreign((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '');
}

/**
 * The names that a syntax tree uses. Refuses two features of CEL with unbounded run time: regular expressions, for
 * which the library uses a backtracking engine, and nested loops.
 */
function namesOf(root: ASTNode, known: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const visit = (node: unknown, isInLoop: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, isInLoop);
    if (!isNode(node)) return;
    const { op, args } = node;
    if (op === 'id' && typeof args === 'string' && known.has(args)) found.add(args);
    const called = (op === 'call' || op === 'rcall') && Array.isArray(args) ? String(args[0]) : '';
    if (called === 'matches') throw new ReasonedError(reasons.EXPRESSION_MATCHES.reason({}));
    if (loops.has(called) && isInLoop) throw new ReasonedError(reasons.EXPRESSION_NESTED.reason({ loop: called }));
    visit(args, isInLoop || loops.has(called));
  };
  visit(root, false);
  return [...found];
}

function isNode(value: unknown): value is { op: string; args: unknown } {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Integers become `int`, other numbers `double`; numbers that fit neither are refused. */
function typed(value: unknown): unknown {
  if (isExactNumber(value)) return typedNumber(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(typed);
  const fields: Record<string, unknown> = {};
  // An unrepresentable number is refused only when used, so other fields of the row remain usable.
  for (const [name, one] of Object.entries(value))
    Object.defineProperty(fields, name, {
      enumerable: true,
      ...(isExactNumber(one) ? { get: () => typedNumber(one) } : { value: typed(one) }),
    });
  return fields;
}

function typedNumber(number: ExactNumber): unknown {
  const digits = number.rawJSON;
  const integer = /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
  if (integer !== undefined && BigInt.asIntN(64, integer) === integer) return integer;
  const double = toDouble(number);
  if (integer !== undefined || double === undefined)
    throw new ReasonedError(reasons.EXPRESSION_DIGITS.reason({ number: shortened(digits) }));
  return double;
}

function shortened(digits: string): string {
  return digits.length > 60 ? `${digits.slice(0, 60)}…` : digits;
}

/** Length of a JSON value. */
export function lengthOf(value: unknown): number {
  if (isExactNumber(value)) return value.rawJSON.length;
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + lengthOf(one), 1);
}

/** Converts a value to JSON unless it is too long. Texts are measured before they are concatenated. */
function bounded(value: unknown): unknown {
  let room = longestValue;
  const take = (length: number): void => {
    room -= length;
    if (room < 0) throw new ReasonedError(reasons.SYNTHESIS_VALUE_TOO_LONG.reason({ limit: longestValue }));
  };
  return plain(value, take);
}

function plain(value: unknown, take: (length: number) => void): unknown {
  take(typeof value === 'string' ? value.length : 1);
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : exactNumber(String(value));
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ReasonedError(reasons.EXPRESSION_NOT_FINITE.reason({}));
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (Array.isArray(value)) return value.map((one) => plain(one, take));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, one]) => namedOf(String(name), one, take)));
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => namedOf(name, one, take)));
  throw new ReasonedError(reasons.EXPRESSION_NO_JSON.reason({}));
}

function isSafe(value: bigint): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}

function namedOf(name: string, value: unknown, take: (length: number) => void): [string, unknown] {
  take(name.length);
  return [name, plain(value, take)];
}
