import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../../../api/path-prefix.ts';
import type { Dataset, DatasetCard } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { CopyableLines } from '../../../ui/copyable-lines.tsx';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Ago, Bytes, Count } from '../../../ui/figures.tsx';
import { SafeMarkdown } from '../../../ui/safe-markdown.tsx';
import { Stat } from '../../../ui/stat.tsx';
import { datasetQuery } from '../dataset-queries.ts';
import { firstFileQuery } from '../data-queries.ts';
import { Panel, Fact } from '../../../ui/panel.tsx';
import { CardForm } from './card-form.tsx';
import { cardQuery } from './card-queries.ts';
import { CroissantButton } from './croissant-button.tsx';
import { linesFor, readers, type Reader } from './reading-ways.ts';

const route = getRouteApi('/shell/datasets/$datasetId/card');

/** What a dataset is, what it holds, and how other programs read it. */
export function CardPage() {
  const { datasetId } = route.useParams();
  const { version } = route.useSearch();
  const dataset = useQuery(datasetQuery(datasetId));
  const card = useQuery(cardQuery(datasetId, version));
  if (card.isError) return <ErrorPanel error={card.error} onRetry={() => void card.refetch()} />;
  if (card.data === undefined || dataset.data === undefined) return <Skeleton height={320} />;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Stack miw={0}>
        <About dataset={dataset.data} card={card.data} />
        {card.data.readme !== null && <Readme readme={card.data.readme} />}
      </Stack>
      <Stack miw={0}>
        <Figures card={card.data} />
        <Reading card={card.data} isCurrent={card.data.version === dataset.data.version} />
        <Splits card={card.data} />
        <Tables card={card.data} version={version} />
      </Stack>
    </SimpleGrid>
  );
}

function About({ dataset, card }: { dataset: Dataset; card: DatasetCard }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <section className="panel" aria-label={t('viewer.card.about')}>
        <CardForm dataset={dataset} onClose={() => setEditing(false)} />
      </section>
    );
  return (
    <section className="panel" aria-label={t('viewer.card.about')}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h4" className="wraps">
            {card.name}
          </Title>
          <Group gap="xs" justify="flex-end">
            <CroissantButton datasetId={card.id} version={card.version} name={card.name} />
            {mayEdit && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPencil size={14} />}
                onClick={() => setEditing(true)}
              >
                {t('viewer.card.edit')}
              </Button>
            )}
          </Group>
        </Group>
        <Text size="sm" className="card-text" {...(card.description === '' ? { c: 'dimmed' } : {})} data-verbatim>
          {card.description === '' ? t('viewer.card.noDescription') : card.description}
        </Text>
        <dl className="facts-list">
          <Fact isVerbatim label={t('viewer.card.license')}>
            {card.license ?? <Text c="dimmed">{t('viewer.card.noLicense')}</Text>}
          </Fact>
          {card.tags.length > 0 && (
            <Fact isVerbatim label={t('datasets.form.tags')}>
              {card.tags.join(', ')}
            </Fact>
          )}
          {dataset.dataSource !== null && dataset.dataSource !== '' && (
            <Fact isVerbatim label={t('datasets.overview.dataSource')}>
              {dataset.dataSource}
            </Fact>
          )}
          <Fact isVerbatim label={t('datasets.overview.created')}>
            <Ago time={card.createdAt} /> {t('datasets.detail.by', { name: card.createdBy })}
          </Fact>
        </dl>
        {card.citation !== null && (
          <div>
            <Text size="xs" c="dimmed">
              {t('viewer.card.citation')}
            </Text>
            <CopyableLines text={card.citation} />
          </div>
        )}
      </Stack>
    </section>
  );
}

function Readme({ readme }: { readme: NonNullable<DatasetCard['readme']> }) {
  const { t } = useTranslation();
  return (
    <Panel title={readme.path}>
      <div className="card-readme" tabIndex={0} data-verbatim>
        <SafeMarkdown text={readme.text} />
      </div>
      {readme.cut && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('viewer.card.readmeCut')}
        </Text>
      )}
    </Panel>
  );
}

function Figures({ card }: { card: DatasetCard }) {
  const { t } = useTranslation();
  const known = card.tables.filter(({ rows }) => rows !== null);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }}>
      <Stat label={t('datasets.overview.files')}>
        <Count value={card.fileCount} />
      </Stat>
      <Stat label={t('datasets.overview.size')}>
        <Bytes value={card.totalSize} />
      </Stat>
      {card.tableCount > 0 && (
        <Stat label={t(known.length < card.tableCount ? 'viewer.card.rowsKnown' : 'viewer.card.rows')}>
          <Count value={known.reduce((sum, { rows }) => sum + (rows ?? 0), 0)} />
        </Stat>
      )}
    </SimpleGrid>
  );
}

function Splits({ card: { splits } }: { card: DatasetCard }) {
  const { t } = useTranslation();
  if (splits.length === 0) return null;
  const columns: Column<DatasetCard['splits'][number]>[] = [
    { key: 'name', header: t('viewer.card.split'), cell: ({ name }) => name },
    {
      key: 'files',
      header: t('datasets.overview.files'),
      align: 'right',
      width: 100,
      cell: ({ files }) => <Count value={files} />,
    },
    {
      key: 'bytes',
      header: t('datasets.file.size'),
      align: 'right',
      width: 100,
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
  ];
  return <DataTable label={t('viewer.card.splits')} columns={columns} rows={splits} idOf={({ name }) => name} />;
}

function Tables({ card, version }: { card: DatasetCard; version: number | undefined }) {
  const { t } = useTranslation();
  const { id: datasetId, tables, tableCount } = card;
  if (tableCount === 0) return null;
  const columns: Column<DatasetCard['tables'][number]>[] = [
    {
      key: 'path',
      header: t('viewer.card.table'),
      cell: ({ fileId, path, sheet, columns: found, rows, problem }) => (
        <div className="wraps">
          <Link
            to="/datasets/$datasetId/files/$fileId"
            params={{ datasetId, fileId }}
            search={{ ...(version === undefined ? {} : { version }), ...(sheet === undefined ? {} : { sheet }) }}
          >
            {sheet === undefined ? path : `${path}/${sheet}`}
          </Link>
          <Text
            size="xs"
            c={problem === null ? 'dimmed' : 'orange'}
            lineClamp={4}
            title={found.map(({ name, type }) => `${name} ${type}`).join('\n')}
          >
            {problem !== null
              ? t('viewer.card.unreadable')
              : rows === null && found.length === 0
                ? t('viewer.card.notRead')
                : found.map(({ name, type }) => `${name} ${type}`).join(' · ')}
          </Text>
        </div>
      ),
    },
    {
      key: 'rows',
      header: t('viewer.card.rows'),
      align: 'right',
      width: 110,
      cell: ({ rows }) => (rows === null ? '' : <Count value={rows} />),
    },
  ];
  return (
    <>
      <DataTable
        label={t('viewer.query.tables')}
        columns={columns}
        rows={tables}
        idOf={({ fileId, sheet = '' }) => `${fileId}/${sheet}`}
      />
      {tableCount > tables.length && (
        <Text size="xs" c="dimmed">
          {t('viewer.card.moreTables', { count: tableCount - tables.length })}
        </Text>
      )}
    </>
  );
}

function Reading({ card, isCurrent }: { card: DatasetCard; isCurrent: boolean }) {
  const { t } = useTranslation();
  const [reader, setReader] = useState<Reader>('datasets');
  const glance = useQuery(firstFileQuery(card.id, isCurrent ? undefined : card.version));
  const first = glance.data?.files[0];
  const place = {
    origin: location.origin + addressOf('/').replace(/\/$/, ''),
    datasetId: card.id,
    version: card.version,
    file: first === undefined ? undefined : { id: first.id, path: first.filePath, fileType: first.fileType },
  };
  const offered = readers.filter((one) => linesFor(one, place) !== undefined);
  const lines = linesFor(reader, place) ?? '';
  return (
    <section className="panel" aria-label={t('viewer.card.reading')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t('viewer.card.reading')}
        </Title>
        <Text size="xs" c="dimmed">
          {t('viewer.card.readingLead')} <Link to="/settings/api-keys">{t('viewer.card.apiKeys')}</Link>
        </Text>
        <SegmentedControl
          size="xs"
          className="card-readers"
          aria-label={t('viewer.card.reading')}
          value={reader}
          onChange={(next) => setReader(readers.find((one) => one === next) ?? 'curl')}
          data={offered.map((one) => ({ value: one, label: t(`viewer.card.readers.${one}`) }))}
        />
        <CopyableLines text={lines} />
      </Stack>
    </section>
  );
}
