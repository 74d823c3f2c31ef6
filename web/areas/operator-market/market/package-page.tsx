import { Alert, Anchor, Badge, Breadcrumbs, Grid, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Operator, OperatorVersion } from '../../../api/schema.ts';
import { localizeCategory } from '../../../messages/operator-texts.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Ago, Bytes } from '../../../ui/figures.tsx';
import { Page } from '../../../ui/page.tsx';
import { fieldsOf } from '../../../ui/schema-fields.ts';
import { OperatorExamples } from '../operator-examples.tsx';
import { OperatorParams } from '../operator-params.tsx';
import { OperatorTrial } from '../operator-trial.tsx';
import { Capabilities } from './capabilities.tsx';
import { isAllowed } from './install-dialogs.tsx';
import { operatorVersionsQuery } from '../../data-cleaning/cleaning-queries.ts';
import { operatorQuery } from './market-queries.ts';
import { packageTabs, readPackageSearch, type PackageSearch, type PackageTab } from './market-search.ts';
import { MeasuredFacts } from './measured-facts.tsx';
import { OperatorIcon } from './operator-icon.tsx';
import { PackageActions } from './package-actions.tsx';
import { PackageVersions } from './package-versions.tsx';
import { Ratings } from './ratings.tsx';
import { withoutFrontMatter } from '../../../ui/front-matter.ts';
import { SafeMarkdown } from '../../../ui/safe-markdown.tsx';
import { SignatureBadge } from './signature-badge.tsx';
import { UsedInLink } from '../../../ui/used-in-link.tsx';
import { StateBadge } from './state-badge.tsx';
import { UsingTasks } from './using-tasks.tsx';

const route = getRouteApi('/shell/market/operators/$operatorId');

/** One version of a published operator: by default the installed one, else the newest. */
export function PackagePage() {
  const { t } = useTranslation();
  const { operatorId } = route.useParams();
  const { version } = readPackageSearch(route.useSearch());
  const operator = useQuery(operatorQuery(operatorId, version));
  const versions = useQuery(operatorVersionsQuery(operatorId));
  if (operator.isError) return <ErrorPanel error={operator.error} onRetry={() => void operator.refetch()} />;
  const { data } = operator;
  if (data?.source === 'BUILT_IN') return <Navigate to="/operators/$operatorId" params={{ operatorId }} replace />;
  return (
    <Page
      title={data?.name}
      lead={data?.description}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/market" size="sm">
            {t('market.title')}
          </Anchor>
          <span>{data?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={data !== undefined && <PackageActions operator={data} versions={versions.data ?? []} />}
    >
      {data === undefined ? <Skeleton height={320} /> : <Details operator={data} versions={versions.data} />}
    </Page>
  );
}

type DetailsProps = { operator: Operator; versions: readonly OperatorVersion[] | undefined };

function Details({ operator, versions }: DetailsProps) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { tab = 'about' } = readPackageSearch(route.useSearch());
  const { id, version } = operator;
  const installed = versions?.find((one) => one.installed)?.version;
  const open = (next: string | null): void =>
    void navigate({
      to: '/market/operators/$operatorId',
      params: { operatorId: id },
      search: (old: PackageSearch) => ({ ...old, tab: next === 'about' ? undefined : (next as PackageTab) }),
      replace: true,
    });
  return (
    <>
      <Group gap="xs">
        <OperatorIcon icon={operator.icon} size={32} />
        <Text span size="sm" ff="monospace">
          {id} {version}
        </Text>
        <StateBadge operator={operator} />
        <UsedInLink kind="OPERATOR" id={id} />
        <SignatureBadge signature={operator.signature} />
        <Badge variant="light" className="status">
          {t(`operators.kinds.${operator.kind}`)}
        </Badge>
        {operator.categories.map((category) => (
          <Badge key={category} variant="light" color="gray" className="status">
            {localizeCategory(category, i18n.language)}
          </Badge>
        ))}
      </Group>
      {installed !== undefined && installed !== version && (
        <Alert color="blue" icon={<IconInfoCircle size={18} />} p="xs">
          {t('market.otherInstalled', { shown: version, installed })}{' '}
          <Link to="/market/operators/$operatorId" params={{ operatorId: id }} search={{ tab }}>
            {t('market.showInstalled', { version: installed })}
          </Link>
        </Alert>
      )}
      {operator.status === 'DISABLED' && <Alert color="red">{t('market.disabledMeans')}</Alert>}
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={operator.name} className="link-tabs">
          {packageTabs.map((one) => (
            <Tabs.Tab
              key={one}
              value={one}
              rightSection={
                one === 'versions' && versions !== undefined ? (
                  <Count value={versions.length} />
                ) : one === 'tasks' ? (
                  <Count value={operator.usageCount} />
                ) : undefined
              }
            >
              {t(`market.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Grid mt="md">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Tabs.Panel value="about">
              <About operator={operator} />
            </Tabs.Panel>
            <Tabs.Panel value="try">
              <Trial operator={operator} />
            </Tabs.Panel>
            <Tabs.Panel value="versions">
              <PackageVersions operator={operator} versions={versions} />
            </Tabs.Panel>
            <Tabs.Panel value="tasks">
              <UsingTasks operatorId={id} to={installed} />
            </Tabs.Panel>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Side operator={operator} sizeBytes={versions?.find((one) => one.version === version)?.sizeBytes} />
          </Grid.Col>
        </Grid>
      </Tabs>
    </>
  );
}

function Count({ value }: { value: number }) {
  return (
    <Badge size="xs" variant="light" color="gray" className="status">
      {value}
    </Badge>
  );
}

function About({ operator }: { operator: Operator }) {
  const { t } = useTranslation();
  const fields = fieldsOf(operator.paramsSchema);
  return (
    <Stack gap="md">
      <section className="panel" aria-label={t('market.readme.title')}>
        <SafeMarkdown text={withoutFrontMatter(operator.readme)} />
      </section>
      <OperatorParams fields={fields} />
      <section className="panel" aria-label={t('operators.examples')}>
        <Text component="h2" size="md" fw={600} mb="xs" mt={0}>
          {t('operators.examples')}
        </Text>
        <Text size="xs" c="dimmed" mb="xs">
          {t('market.examplesLead')}
        </Text>
        <OperatorExamples operator={operator} fields={fields} />
      </section>
    </Stack>
  );
}

function Trial({ operator }: { operator: Operator }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  if (!mayEdit) return <Alert color="gray">{t('market.try.viewer')}</Alert>;
  if (operator.status === 'DISABLED') return <Alert color="gray">{t('market.disabledMeans')}</Alert>;
  if (!isAllowed(operator)) return <Alert color="orange">{t('market.try.notApproved')}</Alert>;
  return (
    <OperatorTrial
      key={`${operator.id} ${operator.version}`}
      operator={operator}
      version={operator.version}
      fields={fieldsOf(operator.paramsSchema)}
      lead={t('market.try.lead')}
    />
  );
}

function Side({ operator, sizeBytes }: { operator: Operator; sizeBytes: number | undefined }) {
  const { t } = useTranslation();
  const { metrics, capabilities } = operator;
  return (
    <Stack gap="md">
      <section className="panel" aria-label={t('market.capabilities.title')}>
        <Text component="h2" size="md" fw={600} mb="xs" mt={0}>
          {t('market.capabilities.title')}
        </Text>
        <Capabilities asked={operator} isApproved={capabilities.length === 0 ? true : isAllowed(operator)} />
      </section>
      {metrics !== null && <MeasuredFacts metrics={metrics} />}
      <Ratings operator={operator} />
      <section className="panel" aria-label={t('market.package.title')}>
        <Text component="h2" size="md" fw={600} mb="xs" mt={0}>
          {t('market.package.title')}
        </Text>
        <dl className="facts-list">
          <dt>{t('market.package.author')}</dt>
          <dd>{operator.author}</dd>
          <dt>{t('market.package.publisher')}</dt>
          <dd>{operator.createdBy}</dd>
          <dt>{t('market.package.published')}</dt>
          <dd>
            <Ago time={operator.createdAt} />
          </dd>
          <dt>{t('market.package.licence')}</dt>
          <dd>{operator.licence}</dd>
          <dt>{t('market.package.modality')}</dt>
          <dd>{operator.modality === 'ANY' ? t('market.modalities.ANY') : t('market.modalities.TEXT')}</dd>
          <dt>{t('market.package.reads')}</dt>
          <dd>{operator.reads.map((part) => t(`market.parts.${part}`)).join(', ') || t('market.parts.none')}</dd>
          <dt>{t('market.package.writes')}</dt>
          <dd>{operator.writes.map((part) => t(`market.parts.${part}`)).join(', ') || t('market.parts.none')}</dd>
          {sizeBytes !== undefined && (
            <>
              <dt>{t('market.package.size')}</dt>
              <dd>
                <Bytes value={sizeBytes} />
              </dd>
            </>
          )}
          <dt>{t('market.package.digest')}</dt>
          <dd>
            <Copyable value={operator.digest} />
          </dd>
        </dl>
      </section>
    </Stack>
  );
}
