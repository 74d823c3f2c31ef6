import { Group, Text, Title } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RagDocument } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { SideBySide, SourcePanel } from './document-panels.tsx';
import { sectionAt, sectionsOf, type Section } from './document-sections.ts';
import type { DocumentOutline } from './document-text-queries.ts';
import type { PlaceSearch } from './rag-search.ts';
import { SectionPager } from './section-pager.tsx';
import { ChosenChunk, SectionText } from './section-text.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/documents/$documentId');
const noSection: Section = { page: null, part: 1, parts: 1, start: 0, end: 0, isBlank: false };

/** A document whose text has been extracted, page by page, with its chunks. */
export function ReadDocument(props: {
  knowledgeBaseId: string;
  document: RagDocument;
  outline: DocumentOutline;
  made: string;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const { knowledgeBaseId, document, outline, made } = props;
  const search = route.useSearch();
  const { chunks } = outline;
  const sections = sectionsOf(outline, document.receipt?.pagesIn ?? null);
  const byId = chunks.findIndex(({ chunkId }) => chunkId === search.chunk);
  const chosen = byId === -1 ? undefined : byId;
  // A chunk of an earlier index no longer exists, but its place does.
  const place =
    chosen === undefined && search.start !== undefined
      ? { start: search.start, end: search.end ?? search.start + 1 }
      : undefined;
  const wanted = chosen === undefined ? place?.start : chunks[chosen]?.start;
  const [turned, setTurned] = useState<{ to: number; from: PlaceSearch }>();
  // Shows the place in the address until the user turns a page.
  const at =
    turned !== undefined && turned.from === search ? turned.to : wanted === undefined ? 0 : sectionAt(sections, wanted);
  const section = sections[at] ?? noSection;
  const choose = (index: number): void => {
    const { chunkId, start, end } = chunks[index] ?? {};
    if (chunkId === undefined) return;
    void navigate({
      to: '/knowledge/$knowledgeBaseId/documents/$documentId',
      params: { knowledgeBaseId, documentId: document.id },
      search: { chunk: chunkId, ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
      replace: true,
    });
  };
  const pager = (name: string) =>
    sections.length > 1 && (
      <SectionPager label={name} at={at} sections={sections} onChange={(to) => setTurned({ to, from: search })} />
    );
  return (
    <SideBySide
      source={
        <SourcePanel
          knowledgeBaseId={knowledgeBaseId}
          document={document}
          page={section.page ?? 1}
          pager={section.page === null ? undefined : pager(t('knowledge.document.source'))}
        />
      }
      text={
        <section className="panel side" aria-label={t('knowledge.document.text')}>
          <Group justify="space-between" mb="xs" gap="xs">
            <Title order={2} size="h6">
              {t('knowledge.document.text')}{' '}
              <Text span inherit c="dimmed" fw={400}>
                {t('knowledge.document.chunksHere', {
                  count: chunks.length,
                  chunks: formatCount(chunks.length, locale),
                })}
              </Text>
            </Title>
            {pager(t('knowledge.document.text'))}
          </Group>
          {chosen !== undefined && (
            <ChosenChunk chunk={chunks[chosen]} number={chosen + 1} count={chunks.length} onChoose={choose} />
          )}
          {chosen === undefined && search.chunk !== undefined && (
            <Text size="xs" c="orange" mb="xs">
              {t('knowledge.document.chunkGone')}
            </Text>
          )}
          {sections.length > 1 && !section.isBlank && (
            <Text size="xs" c="dimmed" mb="xs" className="figure">
              {t('knowledge.document.shownRange', {
                start: formatCount(section.start + 1, locale),
                end: formatCount(section.end, locale),
                length: formatCount(outline.length, locale),
              })}
            </Text>
          )}
          <SectionText
            knowledgeBaseId={knowledgeBaseId}
            documentId={document.id}
            made={made}
            section={section}
            chunks={chunks}
            chosen={chosen}
            place={place}
            onChoose={choose}
          />
        </section>
      }
    />
  );
}
