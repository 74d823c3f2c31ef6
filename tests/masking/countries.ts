// How 30 countries write dates, amounts, postcodes and telephone numbers.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import type { Random } from '../support/seeded-random.ts';

type Country = {
  code: CountryCode;
  /** Language and region for `Intl`, with Western digits. */
  locale: string;
  currency: string;
  /** `9` is a digit, `A` a capital letter. */
  postcode: string;
  /** What stands before a telephone number. */
  phoneWord: string;
};

export const countries: readonly Country[] = [
  { code: 'US', locale: 'en-US', currency: 'USD', postcode: '99999', phoneWord: 'Phone' },
  { code: 'CA', locale: 'en-CA', currency: 'CAD', postcode: 'A9A 9A9', phoneWord: 'Tel' },
  { code: 'MX', locale: 'es-MX', currency: 'MXN', postcode: '99999', phoneWord: 'Teléfono' },
  { code: 'BR', locale: 'pt-BR', currency: 'BRL', postcode: '99999-999', phoneWord: 'Telefone' },
  { code: 'AR', locale: 'es-AR', currency: 'ARS', postcode: 'A9999', phoneWord: 'Tel' },
  { code: 'GB', locale: 'en-GB', currency: 'GBP', postcode: 'AA9 9AA', phoneWord: 'Mobile' },
  { code: 'IE', locale: 'en-IE', currency: 'EUR', postcode: 'A99 A9A9', phoneWord: 'Mobile' },
  { code: 'DE', locale: 'de-DE', currency: 'EUR', postcode: '99999', phoneWord: 'Telefon' },
  { code: 'AT', locale: 'de-AT', currency: 'EUR', postcode: '9999', phoneWord: 'Handy' },
  { code: 'CH', locale: 'de-CH', currency: 'CHF', postcode: '9999', phoneWord: 'Mobile' },
  { code: 'FR', locale: 'fr-FR', currency: 'EUR', postcode: '99999', phoneWord: 'Tél.' },
  { code: 'BE', locale: 'nl-BE', currency: 'EUR', postcode: '9999', phoneWord: 'Tel.' },
  { code: 'NL', locale: 'nl-NL', currency: 'EUR', postcode: '9999 AA', phoneWord: 'Telefoon' },
  { code: 'ES', locale: 'es-ES', currency: 'EUR', postcode: '99999', phoneWord: 'Móvil' },
  { code: 'PT', locale: 'pt-PT', currency: 'EUR', postcode: '9999-999', phoneWord: 'Telemóvel' },
  { code: 'IT', locale: 'it-IT', currency: 'EUR', postcode: '99999', phoneWord: 'Tel.' },
  { code: 'GR', locale: 'el-GR', currency: 'EUR', postcode: '999 99', phoneWord: 'Tel' },
  { code: 'PL', locale: 'pl-PL', currency: 'PLN', postcode: '99-999', phoneWord: 'Telefon' },
  { code: 'CZ', locale: 'cs-CZ', currency: 'CZK', postcode: '999 99', phoneWord: 'Telefon' },
  { code: 'SE', locale: 'sv-SE', currency: 'SEK', postcode: '999 99', phoneWord: 'Mobil' },
  { code: 'NO', locale: 'nb-NO', currency: 'NOK', postcode: '9999', phoneWord: 'Mobil' },
  { code: 'FI', locale: 'fi-FI', currency: 'EUR', postcode: '99999', phoneWord: 'Tel' },
  { code: 'DK', locale: 'da-DK', currency: 'DKK', postcode: '9999', phoneWord: 'Mobil' },
  { code: 'RU', locale: 'ru-RU', currency: 'RUB', postcode: '999999', phoneWord: 'Tel' },
  { code: 'TR', locale: 'tr-TR', currency: 'TRY', postcode: '99999', phoneWord: 'Tel' },
  { code: 'IN', locale: 'en-IN', currency: 'INR', postcode: '999999', phoneWord: 'Mobile' },
  { code: 'CN', locale: 'zh-CN', currency: 'CNY', postcode: '999999', phoneWord: '手机' },
  { code: 'JP', locale: 'ja-JP', currency: 'JPY', postcode: '999-9999', phoneWord: '携帯' },
  { code: 'KR', locale: 'ko-KR', currency: 'KRW', postcode: '99999', phoneWord: '전화' },
  { code: 'AU', locale: 'en-AU', currency: 'AUD', postcode: '9999', phoneWord: 'Mobile' },
];

function onDay(random: Random): Date {
  return new Date(
    Date.UTC(
      1950 + random.integer(90),
      random.integer(12),
      1 + random.integer(28),
      random.integer(24),
      random.integer(60),
    ),
  );
}

const styles = ['short', 'medium'] as const;

/** A date as the country writes it, or by ISO 8601. */
export function dateOf({ locale }: Country, random: Random): string {
  const date = onDay(random);
  if (random.integer(4) === 0) return date.toISOString().slice(0, 10);
  return new Intl.DateTimeFormat(locale, { dateStyle: random.pick(styles), timeZone: 'UTC' }).format(date);
}

/** A time as the country writes it. */
export function timeOf({ locale }: Country, random: Random): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: random.pick(styles), timeZone: 'UTC' }).format(onDay(random));
}

/** An amount as the country writes it, with its currency before, behind or left out. */
export function amountOf({ locale, currency }: Country, random: Random): string {
  const amount = random.integer(10_000_000) / 100;
  const options = random.pick<Intl.NumberFormatOptions>([
    { style: 'currency', currency },
    { style: 'currency', currency, currencyDisplay: 'code' },
    { minimumFractionDigits: 2 },
  ]);
  return new Intl.NumberFormat(locale, options).format(amount);
}

const letters = 'ABCEGHJKLMNPRSTVWXY';

export function postcodeOf({ postcode }: Country, random: Random): string {
  return postcode.replaceAll(/[9A]/g, (sign) => (sign === '9' ? random.digits(1) : random.text(letters, 1)));
}

/** A valid telephone number of the country, as it is written there or abroad. */
export function phoneOf(country: Country, random: Random, form: 'INTERNATIONAL' | 'NATIONAL'): string {
  const example = examples[country.code];
  for (;;) {
    const digits = example.slice(0, -4) + random.digits(4);
    const number = parsePhoneNumberFromString(digits, country.code);
    if (number?.isValid() !== true || number.country !== country.code) continue;
    if (form === 'NATIONAL') return number.formatNational();
    return random.pick([
      number.formatInternational(),
      number.format('E.164'),
      number.formatInternational().replaceAll(' ', '-'),
    ]);
  }
}
