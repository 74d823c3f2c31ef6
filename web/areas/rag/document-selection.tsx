import { Button, Group, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { RagDocumentPage } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyError } from '../../ui/notify.ts';
import { listDocumentIds } from './document-ids.ts';

/** The selection, across pages; everything that matches the filters can be selected at once. */
export function DocumentSelection(props: {
  knowledgeBaseId: string;
  query: QueryOf<'listRagDocuments'>;
  list: Pick<RagDocumentPage, 'content' | 'totalElements'>;
  chosen: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
  onDelete: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { knowledgeBaseId, query, list, chosen, onChange, onDelete } = props;
  const { content, totalElements: total } = list;
  const chooseAll = useMutation({
    mutationFn: () => listDocumentIds(knowledgeBaseId, query),
    onSuccess: (ids) => onChange(ids),
    onError: (error) => notifyError(error),
  });
  if (chosen.size === 0) return null;
  const isWholePage = content.every(({ id }) => chosen.has(id));
  return (
    <Group gap="xs" role="status">
      <Text size="sm">
        {t('knowledge.selection.chosen', { count: chosen.size, documents: formatCount(chosen.size, locale) })}
      </Text>
      {isWholePage && chosen.size < total && (
        <Button size="compact-xs" variant="subtle" loading={chooseAll.isPending} onClick={() => chooseAll.mutate()}>
          {t('knowledge.selection.all', { count: total, documents: formatCount(total, locale) })}
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange(new Set())}>
        {t('knowledge.selection.none')}
      </Button>
      <Button
        size="xs"
        color="red"
        variant="light"
        leftSection={<IconTrash size={14} />}
        onClick={() => onDelete([...chosen])}
      >
        {t('knowledge.delete.action', { count: chosen.size, documents: formatCount(chosen.size, locale) })}
      </Button>
    </Group>
  );
}
