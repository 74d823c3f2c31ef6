import { codedReason, templateOf, type Coded, type Reason, type Sentence } from '../kernel/sentences/index.ts';
import { failuresIn, otherReasons, type CountedFailure, type FailureColumns } from '../kernel/failure-counts.ts';

/** A reason for failed inputs, and their number. */
export type Failure = { count: number } & Coded<'reason', string>;

type Value = Sentence['params'][string];

/** Maximum number of named kinds; the rest becomes one more entry. */
const namedAtMost = 10;
const ellipsis = '…';
const figure = /(\d+(?:[.,]\d+)*|…)/;
const figures = new RegExp(figure, 'g');

/**
 * Groups counted reasons into kinds: the most frequent ones, plus the rest as "other reasons", so that the counts add
 * up to `failed`. Reasons that differ only in figures form one kind, with ellipses for the figures; if there are too
 * many kinds, so do reasons with the same code.
 */
export function failureKindsOf(held: FailureColumns, failed: number): Failure[] {
  const counted = failuresIn(held).filter(({ reason }) => reason.text !== otherReasons.text);
  let kinds = unite(
    counted,
    (reason) => `${shapeOf(reason)} ${reason.text.replaceAll(figures, ellipsis)}`,
    withoutFigures,
  );
  if (kinds.length > namedAtMost) kinds = unite(kinds, (reason) => shapeOf(reason) ?? reason.text, withoutValues);
  const named = kinds
    .toSorted((one, other) => other.count - one.count || (one.reason.text < other.reason.text ? -1 : 1))
    .slice(0, namedAtMost);
  const rest = failed - named.reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) named.push({ reason: otherReasons, count: rest });
  return named.map(({ reason, count }) => ({ ...codedReason('reason', reason), count }));
}

function unite(
  kinds: readonly CountedFailure[],
  keyOf: (reason: Reason) => string,
  join: (one: Reason, other: Reason) => Reason,
): CountedFailure[] {
  const united = new Map<string, CountedFailure>();
  for (const { reason, count } of kinds) {
    const key = keyOf(reason);
    const before = united.get(key);
    united.set(
      key,
      before === undefined ? { reason, count } : { reason: join(before.reason, reason), count: before.count + count },
    );
  }
  return [...united.values()];
}

/** The common form of two reasons of the same shape that differ only in figures. */
function withoutFigures(one: Reason, other: Reason): Reason {
  return { text: commonFigures(one.text, other.text), sentence: commonOf(one.sentence, other.sentence, commonFigures) };
}

function commonFigures(one: string, other: string): string {
  const others = other.split(figure);
  return one
    .split(figure)
    .map((piece, at) => (piece === others[at] ? piece : ellipsis))
    .join('');
}

/** The code of a reason with the codes of nested sentences; undefined for the words of others. */
function shapeOf({ sentence }: Reason): string | undefined {
  return sentence === null ? undefined : codesOf(sentence);
}

function codesOf({ code, params }: Sentence): string {
  const inner = Object.values(params).map((value) => (typeof value === 'object' ? codesOf(value) : ''));
  return `${code}(${inner.join()})`;
}

/** The common form of two reasons of the same shape. */
function withoutValues(one: Reason, other: Reason): Reason {
  const sentence = commonOf(one.sentence, other.sentence, () => ellipsis);
  return sentence === null ? one : { text: textOf(sentence), sentence };
}

/** A sentence with what two of the same shape have in common; `join` combines values that differ. */
function commonOf(
  one: Sentence | null,
  other: Sentence | null,
  join: (one: string, other: string) => string,
): Sentence | null {
  if (one === null || other === null || one.code !== other.code) return null;
  const params = Object.entries(one.params).map(([name, value]): [string, Value] => {
    const another = other.params[name];
    if (value === another || another === undefined) return [name, value];
    if (typeof value !== 'object' || typeof another !== 'object')
      return typeof value === 'object' || typeof another === 'object'
        ? [name, ellipsis]
        : [name, join(String(value), String(another))];
    return [name, commonOf(value, another, join) ?? ellipsis];
  });
  return { code: one.code, params: Object.fromEntries(params) };
}

function textOf({ code, params }: Sentence): string {
  return (templateOf(code) ?? ellipsis).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) return ellipsis;
    return typeof value === 'object' ? textOf(value) : String(value);
  });
}
