import { codedReason, templateOf, type Coded, type Sentence } from '../kernel/sentences/index.ts';
import { otherReasons, reasonOfKey } from '../kernel/failure-counts.ts';

/** A reason for failed inputs, and their number. */
export type Failure = { count: number } & Coded<'reason', string>;

type Kind = { reason: string; count: number };

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
export function failureKindsOf(held: string, failed: number): Failure[] {
  const counted = Object.entries(JSON.parse(held) as Record<string, number>)
    .map(([reason, count]) => ({ reason, count }))
    .filter(({ reason }) => reason !== otherReasons);
  let kinds = unite(counted, (reason) => reason.replaceAll(figures, ellipsis), withoutFigures);
  if (kinds.length > namedAtMost) kinds = unite(kinds, shapeOf, withoutValues);
  const named = kinds
    .toSorted((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1))
    .slice(0, namedAtMost);
  const rest = failed - named.reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) named.push({ reason: otherReasons, count: rest });
  return named.map(({ reason, count }) => ({ ...codedReason('reason', reasonOfKey(reason)), count }));
}

function unite(
  kinds: readonly Kind[],
  keyOf: (reason: string) => string,
  join: (one: string, other: string) => string,
): Kind[] {
  const united = new Map<string, Kind>();
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

/** The common form of two reasons that differ only in figures. */
function withoutFigures(one: string, other: string): string {
  const others = other.split(figure);
  return one
    .split(figure)
    .map((piece, at) => (piece === others[at] ? piece : ellipsis))
    .join('');
}

/** The code of a reason with the codes of nested sentences; a text without a code is its own shape. */
function shapeOf(reason: string): string {
  const { sentence } = reasonOfKey(reason);
  return sentence === null ? reason : codesOf(sentence);
}

function codesOf({ code, params }: Sentence): string {
  const inner = Object.values(params).map((value) => (typeof value === 'object' ? codesOf(value) : ''));
  return `${code}(${inner.join()})`;
}

/** The common form of two reasons of the same shape. */
function withoutValues(one: string, other: string): string {
  const [{ sentence }, { sentence: another }] = [reasonOfKey(one), reasonOfKey(other)];
  return sentence === null || another === null ? one : commonOf(sentence, another);
}

function commonOf({ code, params }: Sentence, other: Sentence): string {
  return (templateOf(code) ?? ellipsis).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const [value, another] = [params[name], other.params[name]];
    if (typeof value === 'object' && typeof another === 'object') return commonOf(value, another);
    return typeof value === 'object' || value === undefined || value !== another ? ellipsis : String(value);
  });
}
