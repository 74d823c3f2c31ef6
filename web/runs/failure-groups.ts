import type { Run } from '../api/schema.ts';

type Failure = Run['failures'][number];

/**
 * Failures of one kind. `shown` and `search` leave out what differs in their reasons, such as the position in a line.
 */
export type FailureGroup = { key: string; code: string | null; count: number; shown: string; search: string };

/** The service shortens long reasons; the part before the ellipsis is searched for. */
const ellipsis = '…';
const fewestLetters = 6;
/** A common ending with fewer letters is meaningless: `(line 1 column 5)`. */
const fewestEndingLetters = 4;
/** Code of the service for the remaining reasons, which it does not list; no text finds them. */
const rest = 'OTHER_REASONS';

/**
 * Groups failures whose reasons share the code, the codes of their causes, and the beginning; the most frequent first, the unlisted
 * rest last.
 */
export function groupFailures(failures: readonly Failure[], say: (failure: Failure) => string): FailureGroup[] {
  const byCode = Map.groupBy(failures, kindOf);
  return [...byCode]
    .flatMap(([code, alike]): FailureGroup[] => {
      const search = commonBeginning(alike.map(({ reason }) => beginningOf(reason)));
      if (alike.length === 1 || search.length < fewestLetters) {
        return alike.map((failure) => ({
          key: code === rest ? rest : failure.reason,
          code: code === rest ? null : failure.reasonCode,
          count: failure.count,
          shown: say(failure),
          search: code === rest ? '' : beginningOf(failure.reason),
        }));
      }
      const count = alike.reduce((sum, failure) => sum + failure.count, 0);
      return [{ key: code, code: alike[0]?.reasonCode ?? null, count, shown: inCommon(alike.map(say)), search }];
    })
    .toSorted((one, other) => Number(isRest(one)) - Number(isRest(other)) || other.count - one.count);
}

/** The code of a failure and those of its causes: calls that fail for different causes are different failures. */
function kindOf({ reason, reasonCode, reasonParams }: Failure): string {
  return reasonCode === null ? reason : [reasonCode, ...causesOf(reasonParams)].join(' ');
}

function causesOf(params: unknown): string[] {
  return Object.entries((params ?? {}) as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    const { code, params: inner } = (typeof value === 'object' ? (value ?? {}) : {}) as Partial<
      Record<string, unknown>
    >;
    if (typeof code === 'string') return [code, ...causesOf(inner)];
    // A cause in the words of an external party.
    return name === 'why' && typeof value === 'string' ? [value] : [];
  });
}

function isRest({ key }: FailureGroup): boolean {
  return key === rest;
}

function beginningOf(reason: string): string {
  return reason.split(ellipsis)[0] ?? '';
}

const withinWord = /[^\s:：,，;；(（]/u;

/** The common part of texts, with an ellipsis where they differ; Chinese names a position before the problem. */
function inCommon(texts: readonly string[]): string {
  const beginning = commonBeginning(texts);
  const rest = texts.map((text) => text.slice(beginning.length));
  const reversed = (text: string): string => [...text].toReversed().join('');
  const ending = reversed(commonBeginning(rest.map(reversed)));
  const saysMore = (ending.match(/\p{L}/gu) ?? []).length >= fewestEndingLetters;
  return `${beginning} ${ellipsis}${saysMore ? ` ${ending.trim()}` : ''}`;
}

/** The common beginning of texts, without a truncated word or number. */
function commonBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    let at = 0;
    while (at < length && first[at] === other[at]) at += 1;
    length = at;
  }
  const common = first.slice(0, length);
  const isCut = [first, ...others].some((text) => withinWord.test(text[length] ?? ''));
  return isCut ? common.replace(/[^\s:：,，;；(（]*$/u, '').trimEnd() : common;
}
