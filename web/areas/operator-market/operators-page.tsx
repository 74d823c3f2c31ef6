import { Badge, Group, Select, Text } from '@mantine/core';
import { IconPuzzle } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../api/schema.ts';
import { localizeCategory } from '../../messages/operator-texts.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count } from '../../ui/figures.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useOperators } from '../data-cleaning/use-operators.ts';

const route = getRouteApi('/shell/operators');
const kinds = ['MAPPER', 'FILTER', 'DEDUPLICATOR', 'SPLITTER', 'SELECTOR'] as const;

/** The list of all operators. */
export function OperatorsPage() {
  const { t, i18n } = useTranslation();
  const nameOf = (category: string): string => localizeCategory(category, i18n.language);
  const navigate = useNavigate();
  const { keyword, kind } = route.useSearch();
  const operators = useOperators();
  const change = (next: { keyword?: string | undefined; kind?: string | undefined }): void =>
    void navigate({ to: '/operators', search: { keyword, kind, ...next }, replace: true });
  const words = (keyword ?? '').toLowerCase();
  const rows = operators.data?.filter(
    (operator) =>
      (kind === undefined || operator.kind === kind) &&
      [
        operator.id,
        operator.name,
        operator.description,
        ...operator.categories.flatMap((category) => [category, nameOf(category)]),
      ]
        .join(' ')
        .toLowerCase()
        .includes(words),
  );
  const columns: Column<Operator>[] = [
    {
      key: 'name',
      header: t('operators.columns.name'),
      cell: ({ id, name, description }) => (
        <div>
          <Link to="/operators/$operatorId" params={{ operatorId: id }} className="plain-link">
            <Text span size="sm" fw={600}>
              {name}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" lineClamp={2}>
            <InlineCode text={description} />
          </Text>
        </div>
      ),
    },
    {
      key: 'kind',
      header: t('operators.columns.kind'),
      width: 150,
      cell: (operator) => t(`operators.kinds.${operator.kind}`),
    },
    {
      key: 'categories',
      header: t('operators.columns.categories'),
      from: 'md',
      width: 260,
      cell: ({ categories }) => (
        <Group gap={4}>
          {categories.map((category) => (
            <Badge key={category} size="sm" variant="light" color="gray" className="status">
              {nameOf(category)}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'uses',
      header: t('operators.columns.uses'),
      align: 'right',
      from: 'sm',
      width: 90,
      cell: ({ usageCount }) => <Count value={usageCount} />,
    },
  ];
  return (
    <Page title={t('operators.title')} lead={t('operators.lead')}>
      <Group gap="xs" component="search">
        <SearchField label={t('operators.search')} value={keyword} onChange={(next) => change({ keyword: next })} />
        <Select
          aria-label={t('operators.columns.kind')}
          placeholder={t('operators.anyKind')}
          data={kinds.map((value) => ({ value, label: t(`operators.kinds.${value}`) }))}
          value={kind ?? null}
          clearable
          onChange={(next) => change({ kind: next ?? undefined })}
          w={180}
        />
      </Group>
      {operators.isError ? (
        <ErrorPanel error={operators.error} onRetry={() => void operators.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState icon={IconPuzzle} title={t('common.list.nothingFound')} />
      ) : (
        <DataTable
          label={t('operators.title')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/operators/$operatorId', params: { operatorId: id } })}
        />
      )}
    </Page>
  );
}
