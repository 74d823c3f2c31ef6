import { ActionIcon, Alert, Box, Button, Group, Menu, Progress, Select, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconDatabase,
  IconDots,
  IconFiles,
  IconRefresh,
  IconSearch,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { KnowledgeBase, RagDocument } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel, messageOf } from '../../ui/error-panel.tsx';
import { Ago, Bytes, useLocale } from '../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { notifyDone, notifyError } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { FileChooser } from '../data-management/uploads/file-chooser.tsx';
import { DatasetFilesDialog } from './dataset-files-dialog.tsx';
import { DocumentReceipt } from './document-receipt.tsx';
import { DocumentState } from './document-state.tsx';
import { addFiles, dismissRefused, stopUpload, useDocumentUpload } from './document-uploads.ts';
import { folderOf } from './document-folder.ts';
import { baseQuery, countUnderWay, documentsQuery, isUnderWay, ragKeys } from './rag-queries.ts';
import { retryFailed } from './retry-failed.ts';
import { documentStatuses, type DocumentsSearch } from './rag-search.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/');

/** The documents of a knowledge base with their states and receipts, and every way to add some. */
export function DocumentsTab() {
  const { knowledgeBaseId } = route.useParams();
  const base = useQuery(baseQuery(knowledgeBaseId));
  const mayEdit = useMayEdit();
  return (
    <Stack gap="sm">
      {mayEdit && <AddDocuments knowledgeBaseId={knowledgeBaseId} isEmpty={base.data?.documentCount === 0} />}
      <UploadState knowledgeBaseId={knowledgeBaseId} />
      {base.data !== undefined && <Processing base={base.data} />}
      <DocumentList knowledgeBaseId={knowledgeBaseId} base={base.data} />
    </Stack>
  );
}

function AddDocuments({ knowledgeBaseId, isEmpty }: { knowledgeBaseId: string; isEmpty: boolean }) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <FileChooser
        compact={!isEmpty}
        help={t('knowledge.dropHelp')}
        onChoose={(files) => void addFiles(knowledgeBaseId, files)}
      />
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<IconDatabase size={14} />} onClick={() => setChoosing(true)}>
          {t('knowledge.fromDataset.action')}
        </Button>
        <Text size="xs" c="dimmed" className="recent-name">
          {t('knowledge.addHelp')}
        </Text>
      </Group>
      {isChoosing && <DatasetFilesDialog knowledgeBaseId={knowledgeBaseId} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Files on their way here, and those that were refused, each with its reason. */
function UploadState({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const { total, totalBytes, sentBytes, stored, refused, isRunning } = useDocumentUpload(knowledgeBaseId);
  useEffect(() => {
    if (stored > 0) void queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
  }, [stored, knowledgeBaseId, queryClient]);
  return (
    <>
      {isRunning && (
        <div className="panel" role="status">
          <Group justify="space-between" mb={6}>
            <Text size="sm">
              {t('knowledge.upload.sending', {
                count: total,
                stored: formatCount(stored, locale),
                total: formatCount(total, locale),
                sent: formatBytes(sentBytes, locale),
                size: formatBytes(totalBytes, locale),
              })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => stopUpload(knowledgeBaseId)}>
              {t('knowledge.upload.stop')}
            </Button>
          </Group>
          <Progress
            value={totalBytes === 0 ? 100 : (100 * sentBytes) / totalBytes}
            aria-label={t('knowledge.upload.label')}
          />
        </div>
      )}
      {refused.length > 0 && (
        <Alert
          color="orange"
          role="alert"
          icon={<IconAlertTriangle />}
          title={t('knowledge.upload.refused', { count: refused.length })}
          withCloseButton
          closeButtonLabel={t('common.actions.close')}
          onClose={() => dismissRefused(knowledgeBaseId)}
        >
          <ul className="plain-list refused-list">
            {refused.map(({ path, reason }, index) => (
              <li key={`${index} ${path}`} className="wraps">
                <b>{path}</b>
                {': '}
                {typeof reason === 'string' ? t(`knowledge.upload.reasons.${reason}`) : messageOf(reason, t)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

/** How far the documents under way are. */
function Processing({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const left = countUnderWay(base);
  // The last documents have ended since the list was read.
  useEffect(() => {
    if (left === 0) void queryClient.invalidateQueries({ queryKey: [...ragKeys.base(base.id), 'documents'] });
  }, [left, base.id, queryClient]);
  if (left === 0) return null;
  const done = base.documentCount - left;
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {t('knowledge.processing', {
          count: base.documentCount,
          done: formatCount(done, locale),
          documents: formatCount(base.documentCount, locale),
        })}
      </Text>
      <Progress
        value={(100 * done) / Math.max(1, base.documentCount)}
        size="sm"
        animated
        aria-label={t('knowledge.documentStates.PROCESSING')}
      />
    </div>
  );
}

function DocumentList({ knowledgeBaseId, base }: { knowledgeBaseId: string; base: KnowledgeBase | undefined }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const queryClient = useQueryClient();
  const search = route.useSearch();
  const { page = 0, size = 20, status, keyword, rebuild } = search;
  const query = {
    page,
    size,
    ...(status === undefined ? {} : { status }),
    ...(keyword === undefined ? {} : { keyword }),
    ...(rebuild === undefined ? {} : { rebuild }),
  };
  const list = useQuery(documentsQuery(knowledgeBaseId, query, base !== undefined && countUnderWay(base) > 0));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<readonly RagDocument[]>();
  const [isRetryingAll, setRetryingAll] = useState(false);
  const change = (next: Partial<DocumentsSearch>): void => {
    setChosen(new Set());
    void navigate({
      to: '/knowledge/$knowledgeBaseId',
      params: { knowledgeBaseId },
      search: (old: DocumentsSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  };
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
  const retry = async (documents: readonly RagDocument[]): Promise<void> => {
    try {
      for (const { id } of documents)
        await dataOf(
          api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry', {
            params: { path: { knowledgeBaseId, documentId: id } },
          }),
        );
    } catch (error) {
      notifyError(error);
    }
    await refresh();
  };
  const rows = list.data?.content;
  const columns = useColumns({
    knowledgeBaseId,
    mayEdit,
    onRetry: (document) => void retry([document]),
    onDelete: (document) => setDeleting([document]),
  });
  const selected = (rows ?? []).filter(({ id }) => chosen.has(id));
  const isFiltered = status !== undefined || keyword !== undefined || rebuild !== undefined;
  const counts = base?.documentsByStatus ?? {};
  const failed = counts.FAILED ?? 0;
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  if (rows?.length === 0 && !isFiltered && page === 0)
    return (
      <EmptyState icon={IconFiles} title={t('knowledge.noDocuments.title')} lead={t('knowledge.noDocuments.lead')} />
    );
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Group gap="xs" component="search">
          <SearchField
            label={t('knowledge.searchDocuments')}
            value={keyword}
            onChange={(next) => change({ keyword: next })}
          />
          <Select
            aria-label={t('knowledge.columns.state')}
            placeholder={t('knowledge.anyState')}
            data={documentStatuses.map((value) => ({
              value,
              label: `${t(`knowledge.documentStates.${value}`)} (${formatCount(counts[value] ?? 0, locale)})`,
            }))}
            value={status ?? null}
            clearable
            onChange={(next) => change({ status: documentStatuses.find((one) => one === next) })}
            w={210}
          />
          {rebuild !== undefined && (
            <Button
              size="xs"
              variant="light"
              color="orange"
              rightSection={<IconX size={13} />}
              onClick={() => change({ rebuild: undefined })}
            >
              {t('knowledge.rebuild.notInNew')}
            </Button>
          )}
        </Group>
        {mayEdit && (
          <Group gap="xs">
            {selected.length > 0 && (
              <Button
                size="xs"
                color="red"
                variant="light"
                leftSection={<IconTrash size={14} />}
                onClick={() => setDeleting(selected)}
              >
                {t('knowledge.delete.action', { count: selected.length })}
              </Button>
            )}
            {failed > 1 && (
              <Button
                size="xs"
                variant="light"
                leftSection={<IconRefresh size={14} />}
                onClick={() => setRetryingAll(true)}
              >
                {t('knowledge.retryFailed', { count: failed, documents: formatCount(failed, locale) })}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {rows?.length === 0 ? (
        <EmptyState
          icon={IconSearch}
          title={t('common.list.nothingFound')}
          action={
            <Button
              variant="light"
              onClick={() => change({ status: undefined, keyword: undefined, rebuild: undefined })}
            >
              {t('common.actions.clearFilters')}
            </Button>
          }
        />
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('knowledge.tabs.documents')}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({
                to: '/knowledge/$knowledgeBaseId/documents/$documentId',
                params: { knowledgeBaseId, documentId: id },
              })
            }
            nameOf={({ name }) => name}
            {...(mayEdit ? { selection: { ids: chosen, onChange: setChosen } } : {})}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager
              {...list.data}
              onChange={(next) =>
                change({ page: next.page || undefined, size: next.size === 20 ? undefined : next.size })
              }
            />
          )}
        </Stack>
      )}
      <ConfirmDialog
        opened={isRetryingAll}
        title={t('knowledge.retryFailed', { count: failed, documents: formatCount(failed, locale) })}
        action={t('knowledge.retry')}
        color="soil"
        onClose={() => setRetryingAll(false)}
        onConfirm={async () => {
          try {
            const { retried, skipped } = await retryFailed(knowledgeBaseId);
            notifyDone(
              [
                t('knowledge.retryAll.done', { count: retried, documents: formatCount(retried, locale) }),
                ...(skipped === 0
                  ? []
                  : [t('knowledge.retryAll.skipped', { count: skipped, documents: formatCount(skipped, locale) })]),
              ].join(' '),
            );
          } finally {
            await refresh();
          }
        }}
      >
        {t('knowledge.retryAll.explained')}
      </ConfirmDialog>
      <ConfirmDialog
        opened={deleting !== undefined}
        title={
          deleting?.length === 1
            ? t('knowledge.delete.titleOne', { name: deleting[0]?.name ?? '' })
            : t('knowledge.delete.title', { count: deleting?.length ?? 0 })
        }
        action={t('knowledge.delete.action', { count: deleting?.length ?? 0 })}
        onClose={() => setDeleting(undefined)}
        onConfirm={async () => {
          try {
            for (const { id } of deleting ?? [])
              await dataOf(
                api.DELETE('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}', {
                  params: { path: { knowledgeBaseId, documentId: id } },
                }),
              );
            notifyDone(t('knowledge.delete.done', { count: deleting?.length ?? 0 }));
          } finally {
            setChosen(new Set());
            await refresh();
          }
        }}
      >
        {t('knowledge.delete.explained', { count: deleting?.length ?? 0 })}
      </ConfirmDialog>
    </>
  );
}

function useColumns(actions: {
  knowledgeBaseId: string;
  mayEdit: boolean;
  onRetry: (document: RagDocument) => void;
  onDelete: (document: RagDocument) => void;
}): Column<RagDocument>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      header: t('knowledge.columns.document'),
      cell: (document) => (
        <div className="cell-name">
          <Link
            to="/knowledge/$knowledgeBaseId/documents/$documentId"
            params={{ knowledgeBaseId: actions.knowledgeBaseId, documentId: document.id }}
            className="plain-link"
          >
            <Text span size="sm" fw={600} className="wraps">
              {document.name}
            </Text>
          </Link>
          {document.metadata.path !== undefined && (
            <Text size="xs" c="dimmed" className="wraps" title={document.metadata.path}>
              {folderOf(document.metadata.path, document.name)}
            </Text>
          )}
          <Box hiddenFrom="xs">
            <DocumentState status={document.status} />
          </Box>
          <DocumentReceipt document={document} />
          {document.status === 'FAILED' && actions.mayEdit && (
            <Button
              size="compact-xs"
              variant="light"
              color="orange"
              leftSection={<IconRefresh size={13} />}
              onClick={() => actions.onRetry(document)}
            >
              {t('knowledge.retry')}
            </Button>
          )}
        </div>
      ),
    },
    {
      key: 'state',
      header: t('knowledge.columns.state'),
      width: 170,
      from: 'xs',
      cell: ({ status }) => <DocumentState status={status} />,
    },
    {
      key: 'size',
      header: t('knowledge.columns.size'),
      align: 'right',
      width: 100,
      from: 'sm',
      cell: ({ fileSize }) => <Bytes value={fileSize} />,
    },
    {
      key: 'added',
      header: t('knowledge.columns.added'),
      width: 140,
      from: 'md',
      cell: ({ createdAt }) => <Ago time={createdAt} />,
    },
    {
      key: 'by',
      header: t('knowledge.columns.by'),
      width: 110,
      from: 'lg',
      cell: ({ createdBy }) => createdBy,
    },
    ...(actions.mayEdit
      ? [
          {
            key: 'actions',
            header: '',
            width: 48,
            cell: (document: RagDocument) => (
              <Menu>
                <Menu.Target>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('knowledge.actionsOf', { name: document.name })}
                  >
                    <IconDots size={16} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconRefresh size={15} />}
                    disabled={isUnderWay(document)}
                    onClick={() => actions.onRetry(document)}
                  >
                    {t('knowledge.again')}
                  </Menu.Item>
                  <Menu.Item
                    color="red"
                    leftSection={<IconTrash size={15} />}
                    onClick={() => actions.onDelete(document)}
                  >
                    {t('common.actions.delete')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ),
          },
        ]
      : []),
  ];
}
