import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { deleteDocuments } from './document-ids.ts';
import { ragKeys } from './rag-queries.ts';

/** Asks for confirmation before documents are deleted. */
export function DeleteDocuments(props: {
  knowledgeBaseId: string;
  ids: readonly string[];
  /** Name of a single listed document. */
  name: string | undefined;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const { knowledgeBaseId, ids, name, onClose, onDeleted } = props;
  const counted = (count: number): { count: number; documents: string } => ({
    count,
    documents: formatCount(count, locale),
  });
  return (
    <ConfirmDialog
      opened
      title={
        name === undefined ? t('knowledge.delete.title', counted(ids.length)) : t('knowledge.delete.titleOne', { name })
      }
      action={t('knowledge.delete.action', counted(ids.length))}
      onClose={onClose}
      onConfirm={async () => {
        try {
          const deleted = await deleteDocuments(knowledgeBaseId, ids);
          notifyDone(t('knowledge.delete.done', counted(deleted)));
          onDeleted();
        } finally {
          await queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
        }
      }}
    >
      {t('knowledge.delete.explained', counted(ids.length))}
    </ConfirmDialog>
  );
}
