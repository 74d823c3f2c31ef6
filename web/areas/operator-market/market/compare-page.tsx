import {
  Alert,
  Anchor,
  Breadcrumbs,
  Button,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconArrowsDiff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { OperatorComparison, OperatorVersion } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Folded } from '../../../ui/folded.tsx';
import { Page } from '../../../ui/page.tsx';
import { fieldsOf, type Values } from '../../../ui/schema-fields.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import { ComparisonResult } from './comparison-result.tsx';
import { InstallDialog } from './install-dialogs.tsx';
import { operatorVersionsQuery } from '../../data-cleaning/cleaning-queries.ts';
import { operatorQuery, usingTasksQuery } from './market-queries.ts';
import { readCompareSearch, sampleSizes, type CompareSearch } from './market-search.ts';
import { UsingTasks } from './using-tasks.tsx';

const route = getRouteApi('/shell/market/operators/$operatorId/compare');

/** Before an upgrade: how another version changes samples of a dataset, and then whether to adopt it. */
export function ComparePage() {
  const { t } = useTranslation();
  const { operatorId } = route.useParams();
  const search = readCompareSearch(route.useSearch());
  const operator = useQuery(operatorQuery(operatorId));
  const versions = useQuery(operatorVersionsQuery(operatorId));
  const failed = operator.isError ? operator : versions.isError ? versions : undefined;
  if (failed !== undefined) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  const name = operator.data?.name;
  return (
    <Page
      title={name === undefined ? undefined : t('market.compare.title', { name })}
      lead={t('market.compare.lead')}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/market" size="sm">
            {t('market.title')}
          </Anchor>
          <Link to="/market/operators/$operatorId" params={{ operatorId }} className="plain-link">
            {name ?? '…'}
          </Link>
          <span>{t('market.compare.short')}</span>
        </Breadcrumbs>
      }
    >
      {versions.data === undefined ? (
        <Skeleton height={240} />
      ) : versions.data.length < 2 ? (
        <Alert color="gray">{t('market.compare.oneVersion')}</Alert>
      ) : (
        <Comparing key={operatorId} operatorId={operatorId} versions={versions.data} search={search} />
      )}
    </Page>
  );
}

type Props = { operatorId: string; versions: readonly OperatorVersion[]; search: CompareSearch };
type Asked = { from: string; to: string; dataset: string; samples: number; params: Values };

function Comparing({ operatorId, versions, search }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const numbers = versions.map(({ version }) => version);
  const installed = versions.find((one) => one.installed)?.version;
  const from = search.from ?? installed ?? numbers[1] ?? '';
  const to = search.to ?? numbers.find((version) => version !== from) ?? '';
  const { dataset, samples = 50 } = search;
  const newer = useQuery(operatorQuery(operatorId, to));
  const tasks = useQuery(usingTasksQuery(operatorId));
  const [params, setParams] = useState<Values>({});
  const [accepting, setAccepting] = useState(false);
  const change = (next: Partial<CompareSearch>): void =>
    void navigate({
      to: '/market/operators/$operatorId/compare',
      params: { operatorId },
      search: (old: CompareSearch) => ({ ...old, ...next }),
      replace: true,
    });
  const compare = useMutation({
    mutationFn: async (asked: Asked): Promise<OperatorComparison> =>
      (
        await dataOf(
          api.POST('/api/v1/operator-market/operators/{id}/compare', {
            params: { path: { id: operatorId } },
            body: {
              from: asked.from,
              to: asked.to,
              sourceDatasetId: asked.dataset,
              limit: asked.samples,
              ...(Object.keys(asked.params).length === 0 ? {} : { params: asked.params }),
            },
          }),
        )
      ).data,
  });
  if (!mayEdit) return <Alert color="gray">{t('market.compare.viewer')}</Alert>;
  const fields = fieldsOf(newer.data?.paramsSchema);
  const steps = (tasks.data?.content ?? []).flatMap((task) =>
    task.steps
      .filter((step) => step.operatorId === operatorId)
      .map((step, at) => ({ key: `${task.id} ${at}`, task: task.name, datasetId: task.sourceDatasetId, step })),
  );
  // Shown only for the versions that the comparison was made of.
  const shown = compare.variables?.from === from && compare.variables.to === to ? compare.data : undefined;
  const choose = (label: string, value: string, other: string, pick: (version: string) => void) => (
    <Select
      label={label}
      data={numbers.map((version) => ({
        value: version,
        label: version === installed ? t('market.compare.installed', { version }) : version,
        disabled: version === other,
      }))}
      value={value}
      allowDeselect={false}
      onChange={(version) => version !== null && pick(version)}
    />
  );
  return (
    <>
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          if (dataset !== undefined) compare.mutate({ from, to, dataset, samples, params });
        }}
      >
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
            {choose(t('market.compare.from'), from, to, (version) => change({ from: version }))}
            {choose(t('market.compare.to'), to, from, (version) => change({ to: version }))}
            <DatasetSelect
              label={t('market.compare.dataset')}
              value={dataset}
              onChange={(next) => change({ dataset: next })}
            />
            <Select
              label={t('market.compare.samples')}
              description={t('market.compare.samplesHelp')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data={sampleSizes.map(String)}
              value={String(samples)}
              allowDeselect={false}
              onChange={(next) => change({ samples: Number(next) })}
            />
          </SimpleGrid>
          {steps.length > 0 && (
            <Select
              label={t('market.compare.like')}
              description={t('market.compare.likeHelp')}
              placeholder={t('market.compare.defaults')}
              data={steps.map(({ key, task }) => ({ value: key, label: task }))}
              clearable
              clearButtonProps={{ 'aria-label': t('common.actions.clear') }}
              onChange={(next) => {
                const chosen = steps.find(({ key }) => key === next);
                setParams(chosen?.step.params ?? {});
                if (chosen !== undefined && dataset === undefined) change({ dataset: chosen.datasetId });
              }}
            />
          )}
          {fields.length > 0 && (
            <Folded label={t('operators.params')}>
              <SchemaForm fields={fields} values={params} onChange={setParams} />
            </Folded>
          )}
          <Group>
            <Button
              type="submit"
              leftSection={<IconArrowsDiff size={16} />}
              loading={compare.isPending}
              disabled={dataset === undefined}
            >
              {t('market.compare.action', { count: samples })}
            </Button>
            {dataset === undefined && (
              <Text size="sm" c="dimmed">
                {t('market.compare.needsDataset')}
              </Text>
            )}
          </Group>
        </Stack>
      </form>
      {compare.isError && <ErrorPanel error={compare.error} />}
      {shown !== undefined && <ComparisonResult comparison={shown} from={from} to={to} />}
      {shown !== undefined && installed !== to && newer.data !== undefined && (
        <section className="panel" aria-label={t('market.compare.decide')}>
          <Title order={2} size="h5" mb={4}>
            {t('market.compare.decide')}
          </Title>
          <Text size="sm" mb="sm">
            {t('market.compare.decideLead', { from, to })}
          </Text>
          <Group gap="xs">
            <Button onClick={() => setAccepting(true)}>{t('market.compare.accept', { version: to })}</Button>
            <Button
              variant="default"
              onClick={() => void navigate({ to: '/market/operators/$operatorId', params: { operatorId } })}
            >
              {t('market.compare.keep', { version: installed ?? from })}
            </Button>
          </Group>
          <InstallDialog operator={newer.data} opened={accepting} onClose={() => setAccepting(false)} />
        </section>
      )}
      {installed === to && (
        <section className="panel" aria-label={t('market.tasks.title')}>
          <Title order={2} size="h5" mb={4}>
            {t('market.tasks.title')}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t('market.tasks.stay')}
          </Text>
          <UsingTasks operatorId={operatorId} to={to} />
        </section>
      )}
    </>
  );
}
