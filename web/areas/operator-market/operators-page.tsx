import { Badge, Button, Group, Select, Text, Title } from '@mantine/core';
import { IconBuildingStore, IconPuzzle } from '@tabler/icons-react';
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
import { groupOf, operatorGroups } from './operator-groups.ts';
import { findOperators } from './operator-search.ts';
import { OperatorSpeed } from './operator-speed.tsx';

const route = getRouteApi('/shell/operators');
const kinds = ['MAPPER', 'FILTER', 'DEDUPLICATOR', 'SPLITTER', 'SELECTOR'] as const;

/** All operators by group, or the results of a search, best first. */
export function OperatorsPage() {
  const { t, i18n } = useTranslation();
  const nameOf = (category: string): string => localizeCategory(category, i18n.language);
  const navigate = useNavigate();
  const { keyword, kind } = route.useSearch();
  const operators = useOperators();
  const change = (next: { keyword?: string | undefined; kind?: string | undefined }): void =>
    void navigate({ to: '/operators', search: { keyword, kind, ...next }, replace: true });
  const ofKind = operators.data?.filter((operator) => kind === undefined || operator.kind === kind);
  const found = keyword === undefined || ofKind === undefined ? ofKind : findOperators(ofKind, keyword);
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
      from: 'sm',
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
      key: 'speed',
      header: t('operators.columns.speed'),
      align: 'right',
      from: 'sm',
      width: 130,
      cell: ({ id }) => <OperatorSpeed operatorId={id} />,
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
  const opening = {
    idOf: ({ id }: Operator) => id,
    onOpen: ({ id }: Operator) => void navigate({ to: '/operators/$operatorId', params: { operatorId: id } }),
  };
  const groups = operatorGroups
    .map((group) => ({ group, rows: (found ?? []).filter((operator) => groupOf(operator) === group) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <Page
      title={t('operators.title')}
      lead={t('operators.lead')}
      actions={
        <Button
          variant="default"
          leftSection={<IconBuildingStore size={16} />}
          onClick={() => void navigate({ to: '/market' })}
        >
          {t('operators.market')}
        </Button>
      }
    >
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
      ) : found?.length === 0 ? (
        <EmptyState
          icon={IconPuzzle}
          title={t('operators.nothing')}
          lead={t('operators.nothingLead')}
          action={
            <Button variant="light" onClick={() => void navigate({ to: '/operators', search: {}, replace: true })}>
              {t('operators.all')}
            </Button>
          }
        />
      ) : found === undefined || keyword !== undefined ? (
        <DataTable label={t('operators.title')} columns={columns} rows={found} {...opening} />
      ) : (
        <>
          <Group gap={6} component="nav" aria-label={t('operators.groupsLabel')}>
            {groups.map(({ group, rows }) => (
              <Button
                key={group}
                size="compact-sm"
                variant="light"
                color="gray"
                onClick={() => document.getElementById(`operators-${group}`)?.scrollIntoView({ behavior: 'smooth' })}
              >
                {t(`operators.groups.${group}`)} ({rows.length})
              </Button>
            ))}
          </Group>
          {groups.map(({ group, rows }) => (
            <section key={group} aria-labelledby={`operators-${group}`}>
              <Title order={2} size="h4" id={`operators-${group}`} mb={2}>
                {t(`operators.groups.${group}`)}
              </Title>
              <Text size="sm" c="dimmed" mb="xs">
                {t(`operators.groupLeads.${group}`)}
              </Text>
              <DataTable label={t(`operators.groups.${group}`)} columns={columns} rows={rows} {...opening} />
            </section>
          ))}
        </>
      )}
    </Page>
  );
}
