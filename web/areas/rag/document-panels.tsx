import { Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { RagDocument } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { notifyError } from '../../ui/notify.ts';
import { DocumentSource } from './document-source.tsx';
import { ragKeys } from './rag-queries.ts';

/** Both side by side if there is room, else one of the two. */
export function SideBySide({ source, text }: { source: ReactNode; text: ReactNode }) {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false });
  const [side, setSide] = useState<'source' | 'text'>('text');
  if (isNarrow)
    return (
      <>
        <SegmentedControl
          size="xs"
          aria-label={t('knowledge.document.shown')}
          data={[
            { value: 'text', label: t('knowledge.document.text') },
            { value: 'source', label: t('knowledge.document.source') },
          ]}
          value={side}
          onChange={(next) => setSide(next)}
        />
        {side === 'source' ? source : text}
      </>
    );
  return (
    <div className="side-by-side">
      {source}
      {text}
    </div>
  );
}

/** The original file. */
export function SourcePanel(props: {
  knowledgeBaseId: string;
  document: RagDocument;
  page?: number;
  pager?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <section className="panel side" aria-label={t('knowledge.document.source')}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h6">
          {t('knowledge.document.source')}
        </Title>
        {props.pager}
      </Group>
      <div className="side-body" role="group" tabIndex={0} aria-label={t('knowledge.document.source')}>
        <DocumentSource knowledgeBaseId={props.knowledgeBaseId} document={props.document} page={props.page ?? 1} />
      </div>
    </section>
  );
}

/** Why there is no text, and what can be done about it. */
export function NoText({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const queryClient = useQueryClient();
  const retry = async (): Promise<void> => {
    try {
      await dataOf(
        api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry', {
          params: { path: { knowledgeBaseId, documentId: document.id } },
        }),
      );
    } catch (error) {
      notifyError(error);
    }
    await queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
  };
  return (
    <section className="panel side" aria-label={t('knowledge.document.text')}>
      <Title order={2} size="h6" mb="xs">
        {t('knowledge.document.text')}
      </Title>
      <Text size="sm" mb="sm">
        {t('knowledge.document.noText')}
      </Text>
      {mayEdit && document.status === 'FAILED' && (
        <Button
          size="xs"
          variant="light"
          color="orange"
          leftSection={<IconRefresh size={14} />}
          onClick={() => void retry()}
        >
          {t('knowledge.retry')}
        </Button>
      )}
    </section>
  );
}
