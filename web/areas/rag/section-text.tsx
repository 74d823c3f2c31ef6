import { ActionIcon, Alert, Group, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { ChunkedText } from './chunked-text.tsx';
import type { Section } from './document-sections.ts';
import { textQuery, type ChunkRange } from './document-text-queries.ts';

/** Shows which chunk is marked, with buttons to its neighbours. */
export function ChosenChunk(props: {
  chunk: ChunkRange | undefined;
  number: number;
  count: number;
  onChoose: (index: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { chunk, number, count, onChoose } = props;
  if (chunk === undefined) return null;
  const parts = [
    t('knowledge.document.chunk', { number: formatCount(number, locale) }),
    ...(chunk.page === null ? [] : [t('knowledge.page', { page: chunk.page })]),
    t('knowledge.document.range', { start: formatCount(chunk.start, locale), end: formatCount(chunk.end, locale) }),
    ...(chunk.headings.length === 0 ? [] : [chunk.headings.join(' › ')]),
  ];
  return (
    <Group gap={4} mb="xs" wrap="nowrap">
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('knowledge.document.previousChunk')}
        disabled={number === 1}
        onClick={() => onChoose(number - 2)}
      >
        <IconChevronLeft size={14} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('knowledge.document.nextChunk')}
        disabled={number === count}
        onClick={() => onChoose(number)}
      >
        <IconChevronRight size={14} />
      </ActionIcon>
      <Text size="xs" className="wraps" role="status">
        {parts.join(' · ')}
      </Text>
    </Group>
  );
}

/** The text of one section with its chunks marked, or a note that it has no text. */
export function SectionText(props: {
  knowledgeBaseId: string;
  documentId: string;
  made: string;
  section: Section;
  chunks: readonly ChunkRange[];
  chosen: number | undefined;
  place: { start: number; end: number } | undefined;
  onChoose: (index: number) => void;
}) {
  const { t } = useTranslation();
  const { knowledgeBaseId, documentId, made, section, chunks, chosen, place, onChoose } = props;
  const { start, end } = section;
  const text = useQuery({ ...textQuery(knowledgeBaseId, documentId, made, { start, end }), enabled: end > start });
  if (section.isBlank)
    return (
      <Alert color="orange" icon={<IconAlertTriangle />} title={t('knowledge.document.blankTitle')}>
        {t('knowledge.document.blankLead')}
      </Alert>
    );
  if (text.isError) return <ErrorPanel error={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Skeleton height={320} />;
  return (
    <div className="side-body chunked-text" role="group" tabIndex={0} aria-label={t('knowledge.document.text')}>
      <ChunkedText
        text={text.data}
        range={{ start, end }}
        chunks={chunks}
        chosen={chosen}
        place={place}
        onChoose={onChoose}
      />
    </div>
  );
}
