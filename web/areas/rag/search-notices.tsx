import { Alert, Anchor } from '@mantine/core';
import { IconFiles, IconLoader } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { baseQuery, countUnderWay } from './rag-queries.ts';

/** Warns that documents still being processed can not be found yet. */
export function StillProcessed({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const left = base === undefined ? 0 : countUnderWay(base);
  if (left === 0) return null;
  return (
    <Alert color="blue" py="xs" icon={<IconLoader />} role="status">
      {t('knowledge.search.stillProcessed', { count: left, documents: formatCount(left, locale) })}
    </Alert>
  );
}

/** Warns that other nodes would find more than the one that responded. */
export function NotYetHere({ documents }: { documents: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  if (documents === 0) return null;
  return (
    <Alert color="yellow" py="xs" icon={<IconLoader />} role="status">
      {t('knowledge.search.notYetHere', { count: documents, documents: formatCount(documents, locale) })}
    </Alert>
  );
}

export function NothingToSearch({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconFiles}
      title={t('knowledge.search.emptyTitle')}
      lead={t('knowledge.search.emptyLead')}
      action={
        <Anchor component={Link} to="/knowledge/$knowledgeBaseId" params={{ knowledgeBaseId } as never} size="sm">
          {t('knowledge.search.toDocuments')}
        </Anchor>
      }
    />
  );
}
