import { ActionIcon, Box, Button, Menu, Text } from '@mantine/core';
import { IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RagDocument } from '../../api/schema.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Ago, Bytes, Count } from '../../ui/figures.tsx';
import { folderOf } from './document-folder.ts';
import { DocumentReceipt } from './document-receipt.tsx';
import { DocumentState } from './document-state.tsx';
import { isUnderWay } from './rag-queries.ts';

/** The columns of the list of documents. */
export function useDocumentColumns(actions: {
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
      sortField: 'name',
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
          <DocumentReceipt knowledgeBaseId={actions.knowledgeBaseId} document={document} />
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
      sortField: 'status',
      width: 170,
      from: 'xs',
      cell: ({ status }) => <DocumentState status={status} />,
    },
    {
      key: 'size',
      header: t('knowledge.columns.size'),
      sortField: 'fileSize',
      align: 'right',
      width: 100,
      from: 'sm',
      cell: ({ fileSize }) => <Bytes value={fileSize} />,
    },
    {
      key: 'chunks',
      header: t('knowledge.columns.chunks'),
      sortField: 'chunkCount',
      align: 'right',
      width: 90,
      from: 'md',
      cell: ({ chunkCount }) => <Count value={chunkCount} />,
    },
    {
      key: 'added',
      header: t('knowledge.columns.added'),
      sortField: 'createdAt',
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
