import { Button, Group, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { documentStatuses, type DocumentsSearch } from './rag-search.ts';

/** Filters the list of documents by name and state; `children` are shown beside it. */
export function DocumentFilters(props: {
  search: DocumentsSearch;
  counts: KnowledgeBase['documentsByStatus'];
  onChange: (next: Partial<DocumentsSearch>) => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { search, counts, onChange, children } = props;
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs" component="search">
        <SearchField
          label={t('knowledge.searchDocuments')}
          value={search.keyword}
          onChange={(keyword) => onChange({ keyword })}
        />
        <Select
          aria-label={t('knowledge.columns.state')}
          placeholder={t('knowledge.anyState')}
          data={documentStatuses.map((value) => ({
            value,
            label: `${t(`knowledge.documentStates.${value}`)} (${formatCount(counts[value] ?? 0, locale)})`,
          }))}
          value={search.status ?? null}
          clearable
          onChange={(next) => onChange({ status: documentStatuses.find((one) => one === next) })}
          w={210}
        />
        {search.rebuild !== undefined && (
          <Button
            size="xs"
            variant="light"
            color="orange"
            rightSection={<IconX size={13} />}
            onClick={() => onChange({ rebuild: undefined })}
          >
            {t('knowledge.rebuild.notInNew')}
          </Button>
        )}
      </Group>
      {children}
    </Group>
  );
}
