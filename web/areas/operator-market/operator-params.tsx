import { Code, Table, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { valueText } from '../../ui/field-value.ts';
import { useLocale } from '../../ui/figures.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { isUnlimited, type Field } from '../../ui/schema-fields.ts';
import { Panel } from '../../ui/panel.tsx';

/** The parameters of an operator: values, default and meaning of each. */
export function OperatorParams({ fields }: { fields: readonly Field[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  return (
    <Panel title={t('operators.params')}>
      {fields.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('operators.noParams')}
        </Text>
      ) : (
        <div className="table-scroll" tabIndex={0}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('operators.columns.param')}</Table.Th>
                <Table.Th>{t('operators.columns.type')}</Table.Th>
                <Table.Th>{t('operators.columns.default')}</Table.Th>
                <Table.Th visibleFrom="sm">{t('operators.columns.meaning')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fields.map((field) => (
                <Table.Tr key={field.name}>
                  <Table.Td>
                    {field.label} <Code>{field.name}</Code>
                    {field.help !== undefined && (
                      <Text size="xs" c="dimmed" hiddenFrom="sm">
                        <InlineCode text={field.help} />
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{typeText(field, t, locale)}</Table.Td>
                  <Table.Td data-verbatim>
                    {field.default === undefined ? '' : valueText(field, field.default, t, locale)}
                  </Table.Td>
                  <Table.Td miw={220} visibleFrom="sm">
                    {field.help !== undefined && <InlineCode text={field.help} />}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Panel>
  );
}

function typeText(field: Field, t: TFunction, locale: string): string {
  switch (field.kind) {
    case 'number': {
      const most = isUnlimited(field, field.max) ? t('common.form.noLimit') : numberText(field.max, '∞', locale);
      return field.min === undefined && field.max === undefined
        ? t(field.isInteger ? 'operators.values.integer' : 'operators.values.number')
        : `${numberText(field.min, '−∞', locale)} – ${most}`;
    }
    case 'choice':
      return field.options.join(' | ');
    case 'boolean':
    case 'text':
    case 'texts':
    case 'pairs':
    case 'variants':
    case 'datasets':
    case 'model':
    case 'json':
      return t(`operators.values.${field.kind}`);
  }
}

function numberText(value: number | undefined, none: string, locale: string): string {
  return value === undefined ? none : new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(value);
}
