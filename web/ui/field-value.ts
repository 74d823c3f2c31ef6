import type { TFunction } from 'i18next';
import { formatCount } from './format.ts';
import { isUnlimited, type Field } from './schema-fields.ts';

/** The value of a field in words: `on`, `no limit`, `1,000`. */
export function valueText(field: Field, value: unknown, t: TFunction, locale: string): string {
  if (isUnlimited(field, value)) return t('common.form.noLimit');
  if (value === undefined || value === null || value === '') return t('common.form.nothing');
  if (typeof value === 'boolean') return t(value ? 'common.form.on' : 'common.form.off');
  if (typeof value === 'number') return formatCount(value, locale);
  if (field.kind === 'datasets' && Array.isArray(value)) {
    return value.length === 0 ? t('common.form.nothing') : t('common.form.datasets.count', { count: value.length });
  }
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
