// What the maskers find in the labelled neighbourhoods.
import type { CountryCode } from 'libphonenumber-js/max';
import { maskCardNumbers } from '../../server/operators/maskers/card-numbers.ts';
import { maskChineseIds } from '../../server/operators/maskers/chinese-id-masker.ts';
import { maskIbans } from '../../server/operators/maskers/iban-masker.ts';
import { maskPhoneNumbersOf } from '../../server/operators/maskers/local-phone-numbers.ts';
import type { Masker } from '../../server/operators/maskers/masker.ts';
import { maskPassportNumbers } from '../../server/operators/maskers/passport-masker.ts';
import { maskPhoneNumbers } from '../../server/operators/maskers/phone-numbers.ts';
import { maskSocialSecurityNumbers } from '../../server/operators/maskers/us-ssn-masker.ts';
import type { Neighbourhood, NumberKind, Span } from './neighbourhoods.ts';

/** The masker of a kind of number. */
export function maskerOf({ kind, country }: Pick<Neighbourhood, 'kind' | 'country'>): Masker {
  const maskers: Readonly<Record<Exclude<NumberKind, 'local phone'>, Masker>> = {
    card: maskCardNumbers,
    ssn: maskSocialSecurityNumbers,
    'chinese id': maskChineseIds,
    phone: maskPhoneNumbers,
    passport: maskPassportNumbers,
    iban: maskIbans,
  };
  return kind === 'local phone' ? maskPhoneNumbersOf([country as CountryCode]) : maskers[kind];
}

export const leastRecall = 0.995;
export const leastPrecision = 0.995;

const hidden = '\ue000';

/** The spans that a masker replaces. */
export function foundBy(mask: Masker, text: string): Span[] {
  const masked = mask(text, (found) => `${hidden}${'\ue001'.repeat(found.length - 1)}`);
  return [...masked.matchAll(/\ue000\ue001*/g)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
}

export type Counts = { right: number; missed: number; wrong: number };

/**
 * Numbers that are hidden to the last character, others, and findings that cover something else: a finding is wrong if
 * any character of it belongs to no number.
 */
export function countsOf({ spans }: Pick<Neighbourhood, 'spans'>, found: readonly Span[]): Counts {
  const hides = (span: Span): boolean => {
    for (let at = span.start; at < span.end; at += 1)
      if (!found.some(({ start, end }) => start <= at && at < end)) return false;
    return true;
  };
  const right = spans.filter(hides).length;
  const wrong = found.filter(({ start, end }) => !spans.some((span) => span.start <= start && end <= span.end)).length;
  return { right, missed: spans.length - right, wrong };
}

export function sumOf(counts: readonly Counts[]): Counts & { recall: number; precision: number } {
  const sum = { right: 0, missed: 0, wrong: 0 };
  for (const { right, missed, wrong } of counts) {
    sum.right += right;
    sum.missed += missed;
    sum.wrong += wrong;
  }
  return { ...sum, recall: sum.right / (sum.right + sum.missed), precision: sum.right / (sum.right + sum.wrong) };
}
