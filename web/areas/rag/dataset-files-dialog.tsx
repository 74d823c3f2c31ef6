import { Button, Group, Modal, Radio, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetFile } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Bytes, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { datasetsQuery, filesQuery, versionsQuery } from '../data-management/dataset-queries.ts';
import { noteRefused, noteRepeated } from './document-uploads.ts';
import { ragKeys } from './rag-queries.ts';

const perCall = 1_000;

type Selection = {
  datasetId: string | undefined;
  version: number | undefined;
  which: 'all' | 'some';
  chosen: ReadonlySet<string>;
};

/** Adds files of any version of a dataset as documents: all of them, or a selection. */
export function DatasetFilesDialog({ knowledgeBaseId, onClose }: { knowledgeBaseId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const draft = useDraft<Selection>({ datasetId: undefined, version: undefined, which: 'all', chosen: new Set() });
  const { datasetId, version, which, chosen } = draft.values;
  const [keyword, setKeyword] = useState('');
  const [wanted] = useDebouncedValue(keyword.trim(), 250);
  const datasets = useQuery(datasetsQuery({ size: 50, ...(wanted === '' ? {} : { keyword: wanted }) }));
  const add = useMutation({
    mutationFn: async () =>
      datasetId === undefined
        ? 0
        : addFilesOfDataset(knowledgeBaseId, datasetId, version, which === 'all' ? undefined : chosen),
    onSuccess: (count) => {
      notifyDone(t('knowledge.fromDataset.added', { count, files: formatCount(count, locale) }));
      onClose();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) }),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('knowledge.fromDataset.title')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <Stack gap="sm">
        <Select
          label={t('knowledge.fromDataset.dataset')}
          placeholder={t('knowledge.fromDataset.choose')}
          data={(datasets.data?.content ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={datasetId ?? null}
          searchable
          nothingFoundMessage={t('common.list.nothingFound')}
          onSearchChange={setKeyword}
          filter={({ options }) => options}
          onChange={(next) => draft.set({ datasetId: next ?? undefined, version: undefined, chosen: new Set() })}
          data-autofocus
        />
        {datasetId !== undefined && (
          <>
            <VersionSelect
              datasetId={datasetId}
              value={version}
              onChange={(next) => draft.set({ version: next, chosen: new Set() })}
            />
            <Radio.Group label={t('knowledge.fromDataset.which')} {...draft.choice('which')}>
              <Group gap="md" mt={4}>
                <Radio value="all" label={t('knowledge.fromDataset.all')} />
                <Radio value="some" label={t('knowledge.fromDataset.some')} />
              </Group>
            </Radio.Group>
            {which === 'some' && (
              <FileList
                datasetId={datasetId}
                version={version}
                chosen={chosen}
                onChoose={(ids) => draft.set({ chosen: ids })}
              />
            )}
          </>
        )}
        {add.isError && <ErrorPanel error={add.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.actions.cancel')}
          </Button>
          <Button
            disabled={datasetId === undefined || (which === 'some' && chosen.size === 0)}
            loading={add.isPending}
            onClick={() => add.mutate()}
          >
            {which === 'some' && chosen.size > 0
              ? t('knowledge.fromDataset.add', { count: chosen.size })
              : t('knowledge.fromDataset.addAll')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function VersionSelect(props: {
  datasetId: string;
  value: number | undefined;
  onChange: (version: number | undefined) => void;
}) {
  const { t } = useTranslation();
  const versions = useQuery(versionsQuery(props.datasetId, { page: 0, size: 100 }));
  return (
    <Select
      label={t('knowledge.fromDataset.version')}
      data={(versions.data?.content ?? []).map(({ version, name }) => ({
        value: String(version),
        label: name === null || name === '' ? String(version) : `${version} · ${name}`,
      }))}
      value={props.value === undefined ? null : String(props.value)}
      placeholder={t('knowledge.fromDataset.current')}
      clearable
      onChange={(version) => props.onChange(version === null ? undefined : Number(version))}
    />
  );
}

function FileList(props: {
  datasetId: string;
  version: number | undefined;
  chosen: ReadonlySet<string>;
  onChoose: (ids: Set<string>) => void;
}) {
  const { t } = useTranslation();
  const { datasetId, version } = props;
  const [at, setAt] = useState({ page: 0, size: 20 });
  const [keyword, setKeyword] = useState<string>();
  const files = useQuery(
    filesQuery(datasetId, {
      ...at,
      sort: 'filePath,asc',
      ...(version === undefined ? {} : { version }),
      ...(keyword === undefined ? {} : { keyword }),
    }),
  );
  const columns: Column<DatasetFile>[] = [
    {
      key: 'path',
      header: t('knowledge.fromDataset.file'),
      cell: ({ filePath }) => (
        <Text size="sm" className="wraps">
          {filePath}
        </Text>
      ),
    },
    {
      key: 'size',
      header: t('knowledge.columns.size'),
      align: 'right',
      width: 100,
      cell: ({ fileSize }) => <Bytes value={fileSize} />,
    },
  ];
  if (files.isError) return <ErrorPanel error={files.error} onRetry={() => void files.refetch()} />;
  return (
    <Stack gap="xs">
      <SearchField
        label={t('knowledge.fromDataset.search')}
        value={keyword}
        size="xs"
        onChange={(next) => {
          setKeyword(next);
          setAt({ ...at, page: 0 });
        }}
      />
      <DataTable
        label={t('knowledge.fromDataset.which')}
        columns={columns}
        rows={files.data?.content}
        idOf={({ id }) => id}
        nameOf={({ filePath }) => filePath}
        selection={{ ids: props.chosen, onChange: props.onChoose }}
        stale={files.isPlaceholderData}
      />
      {files.data !== undefined && <Pager {...files.data} onChange={setAt} />}
    </Stack>
  );
}

/** Adds files in calls of at most a thousand and reports those that the service refused. Returns how many became documents. */
async function addFilesOfDataset(
  knowledgeBaseId: string,
  datasetId: string,
  version: number | undefined,
  chosen: ReadonlySet<string> | undefined,
): Promise<number> {
  const of = version === undefined ? {} : { version };
  const paths = new Map<string, string>();
  let hasMore = chosen === undefined;
  for (let page = 0; hasMore; page++) {
    const { content, last } = await dataOf(
      api.GET('/api/v1/data-management/datasets/{datasetId}/files', {
        params: { path: { datasetId }, query: { ...of, page, size: perCall, sort: 'filePath,asc' } },
      }),
    );
    for (const { id, filePath } of content) paths.set(id, filePath);
    hasMore = !last;
  }
  const ids = [...(chosen ?? paths.keys())];
  let count = 0;
  for (let from = 0; from < ids.length; from += perCall) {
    const fileIds = ids.slice(from, from + perCall);
    const { data } = await dataOf(
      api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents', {
        params: { path: { knowledgeBaseId } },
        body: { datasetId, fileIds, ...of },
      }),
    );
    count += data.content.length;
    noteRepeated(knowledgeBaseId, data.content);
    const taken = new Set(data.content.map(({ fileId }) => fileId));
    const left = fileIds.filter((id) => !taken.has(id));
    noteRefused(
      knowledgeBaseId,
      left.map((id) => ({ path: paths.get(id) ?? id, reason: 'without-content' as const })),
    );
  }
  return count;
}
