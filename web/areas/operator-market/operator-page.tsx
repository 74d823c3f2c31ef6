import { Anchor, Badge, Breadcrumbs, Button, Code, Group, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Operator } from '../../api/schema.ts';
import { localizeCategory, localizeOperator } from '../../messages/operator-texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { valueText } from '../../ui/field-value.ts';
import { useLocale } from '../../ui/figures.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Page } from '../../ui/page.tsx';
import { fieldsOf, isUnlimited, type Field } from '../../ui/schema-fields.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { newStep, emptyDraft } from '../data-cleaning/builder/draft.ts';
import { newTaskKey, storeDraft } from '../data-cleaning/builder/draft-storage.ts';
import { OperatorExamples } from './operator-examples.tsx';
import { OperatorSpeed } from './operator-speed.tsx';
import { OperatorTrial } from './operator-trial.tsx';

const route = getRouteApi('/shell/operators/$operatorId');

/** One operator: what it does, its parameters, examples of it. */
export function OperatorPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const { operatorId } = route.useParams();
  const query = useQuery({
    queryKey: ['operators', operatorId],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/operator-market/operators/{id}', { params: { path: { id: operatorId } } }))).data,
  });
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const operator = query.data === undefined ? undefined : localizeOperator(query.data, i18n.language);
  return (
    <Page
      title={operator?.name}
      lead={operator !== undefined && <InlineCode text={operator.description} />}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/operators" size="sm">
            {t('operators.title')}
          </Anchor>
          <span>{operator?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        operator !== undefined &&
        mayEdit && (
          <Button
            onClick={() => {
              storeDraft(newTaskKey({}), { ...emptyDraft(), steps: [newStep(operator)] });
              void navigate({ to: '/cleaning/new' });
            }}
          >
            {t('operators.use')}
          </Button>
        )
      }
    >
      {operator === undefined ? <Skeleton height={240} /> : <Details operator={operator} />}
    </Page>
  );
}

function Details({ operator }: { operator: Operator }) {
  const { t, i18n } = useTranslation();
  const locale = useLocale();
  const fields = fieldsOf(operator.paramsSchema);
  const mayEdit = useMayEdit();
  return (
    <>
      <Group gap="xs">
        <Code>
          {operator.id} {operator.version}
        </Code>
        <Badge variant="light" className="status">
          {t(`operators.kinds.${operator.kind}`)}
        </Badge>
        {operator.categories.map((category) => (
          <Badge key={category} variant="light" color="gray" className="status">
            {localizeCategory(category, i18n.language)}
          </Badge>
        ))}
        <Text size="sm" c="dimmed" component="span">
          <OperatorSpeed operatorId={operator.id} />
        </Text>
      </Group>
      {mayEdit && operator.modality === 'TEXT' && (
        <OperatorTrial key={operator.id} operator={operator} fields={fields} />
      )}
      <section className="panel" aria-label={t('operators.params')}>
        <Title order={2} size="h5" mb="xs">
          {t('operators.params')}
        </Title>
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
                  <Table.Th>{t('operators.columns.meaning')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {fields.map((field) => (
                  <Table.Tr key={field.name}>
                    <Table.Td>
                      {field.label} <Code>{field.name}</Code>
                    </Table.Td>
                    <Table.Td>{typeText(field, t, locale)}</Table.Td>
                    <Table.Td data-verbatim>
                      {field.default === undefined ? '' : valueText(field, field.default, t, locale)}
                    </Table.Td>
                    <Table.Td miw={220}>{field.help !== undefined && <InlineCode text={field.help} />}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </section>
      <section className="panel" aria-label={t('operators.examples')}>
        <Title order={2} size="h5" mb="xs">
          {t('operators.examples')}
        </Title>
        <OperatorExamples examples={operator.examples} fields={fields} />
      </section>
    </>
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
    case 'json':
      return t(`operators.values.${field.kind}`);
  }
}

function numberText(value: number | undefined, none: string, locale: string): string {
  return value === undefined ? none : new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(value);
}
