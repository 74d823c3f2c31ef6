import { Button, Stack, Text } from '@mantine/core';
import { IconDatabase } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { FileChooser } from '../data-management/uploads/file-chooser.tsx';
import { DatasetFilesDialog } from './dataset-files-dialog.tsx';
import { DocumentList } from './document-list.tsx';
import { DocumentUploadState } from './document-upload-state.tsx';
import { addFiles } from './document-uploads.ts';
import { DocumentsProcessing } from './documents-processing.tsx';
import { baseQuery, limitsQuery } from './rag-queries.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/');

/** The documents of a knowledge base with their states and receipts, and all ways to add documents. */
export function DocumentsTab() {
  const { knowledgeBaseId } = route.useParams();
  const base = useQuery(baseQuery(knowledgeBaseId));
  const mayEdit = useMayEdit();
  return (
    <Stack gap="sm">
      {mayEdit && base.data !== undefined && <AddDocuments base={base.data} />}
      <DocumentUploadState knowledgeBaseId={knowledgeBaseId} />
      {base.data !== undefined && <DocumentsProcessing base={base.data} />}
      <DocumentList knowledgeBaseId={knowledgeBaseId} base={base.data} />
    </Stack>
  );
}

function AddDocuments({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <FileChooser
        compact={base.documentCount > 0}
        help={t('knowledge.dropHelp')}
        onChoose={(files) => void addFiles(base.id, files)}
      >
        <Button size="xs" variant="default" leftSection={<IconDatabase size={14} />} onClick={() => setChoosing(true)}>
          {t('knowledge.fromDataset.action')}
        </Button>
      </FileChooser>
      <Text size="xs" c="dimmed">
        {t('knowledge.addHelp')} <Limits base={base} />
      </Text>
      {isChoosing && <DatasetFilesDialog knowledgeBaseId={base.id} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** The maximum file size, and how many more documents fit. */
function Limits({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data } = useQuery(limitsQuery);
  if (data === undefined) return null;
  const left = Math.max(0, data.documents - base.documentCount);
  if (left === 0)
    return (
      <Text span inherit c="orange">
        {t('knowledge.limits.full', { count: data.documents, documents: formatCount(data.documents, locale) })}
      </Text>
    );
  return t('knowledge.limits.left', {
    count: left,
    documents: formatCount(left, locale),
    size: formatBytes(data.documentBytes, locale),
  });
}
