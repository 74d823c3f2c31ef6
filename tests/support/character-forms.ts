import type { Random } from './seeded-random.ts';

/** A number as pages and Chinese texts may write it: with no-break spaces, full-width digits or other hyphens. */
export function inOtherForm(text: string, random: Random): string {
  const form = random.pick([
    (one: string) => one.replaceAll(' ', '\u00a0'),
    (one: string) => one.replaceAll(' ', '\u202f').replaceAll('-', '\u2011'),
    (one: string) => one.replaceAll('-', '\u2013'),
    (one: string) =>
      one.replaceAll(/[\dA-Za-z+.@-]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
    (one: string) => one.replaceAll(' ', '\u3000'),
  ]);
  return form(text);
}
