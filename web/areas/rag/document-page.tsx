import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Skeleton,
  Text,
  Title,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle, IconChevronLeft, IconChevronRight, IconDownload, IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { RagDocument } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Bytes, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { ChunkedText } from './chunked-text.tsx';
import { DocumentReceipt } from './document-receipt.tsx';
import { sectionAt, sectionsOf, type Section } from './document-sections.ts';
import { DocumentSource } from './document-source.tsx';
import { DocumentState } from './document-state.tsx';
import { contentUrl, outlineQuery, textQuery, type ChunkRange, type DocumentOutline } from './document-text-queries.ts';
import { baseQuery, documentQuery, isUnderWay, ragKeys } from './rag-queries.ts';
import type { PlaceSearch } from './rag-search.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/documents/$documentId');

/** The source of a document beside the text that was read from it, with its chunks marked. */
export function DocumentPage() {
  const { t } = useTranslation();
  const { knowledgeBaseId, documentId } = route.useParams();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const query = useQuery(documentQuery(knowledgeBaseId, documentId));
  const document = query.data;
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Page
      compact
      title={document?.name}
      section={base?.name}
      breadcrumbs={
        <Anchor component={Link} to="/knowledge/$knowledgeBaseId" params={{ knowledgeBaseId } as never} size="sm">
          {base?.name ?? t('knowledge.title')}
        </Anchor>
      }
      lead={
        document !== undefined && (
          <>
            <DocumentState status={document.status} />
            <Bytes value={document.fileSize} />
            {document.metadata.path !== undefined && <span className="wraps">{document.metadata.path}</span>}
          </>
        )
      }
      actions={
        document !== undefined && (
          <Button
            component="a"
            size="xs"
            variant="default"
            href={contentUrl(knowledgeBaseId, documentId)}
            download={document.name}
            leftSection={<IconDownload size={15} />}
          >
            {t('common.actions.download')}
          </Button>
        )
      }
    >
      {document === undefined ? (
        <Skeleton height={480} />
      ) : (
        <>
          <DocumentReceipt document={document} />
          <DocumentBody knowledgeBaseId={knowledgeBaseId} document={document} />
        </>
      )}
    </Page>
  );
}

function DocumentBody({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
  const { t } = useTranslation();
  // A document that was read, or cut, anew has another outline.
  const made = `${document.status} ${document.finishedAt ?? ''} ${document.chunkCount}`;
  const hasText = (document.receipt?.characters ?? 0) > 0;
  const outline = useQuery({ ...outlineQuery(knowledgeBaseId, document.id, made), enabled: hasText });
  if (isUnderWay(document))
    return (
      <Alert color="blue" role="status">
        {t('knowledge.document.underWay')}
      </Alert>
    );
  if (!hasText)
    return (
      <SideBySide
        source={<SourcePanel knowledgeBaseId={knowledgeBaseId} document={document} />}
        text={<NoText knowledgeBaseId={knowledgeBaseId} document={document} />}
      />
    );
  if (outline.isError) return <ErrorPanel error={outline.error} onRetry={() => void outline.refetch()} />;
  if (outline.data === undefined) return <Skeleton height={480} />;
  return <ReadDocument knowledgeBaseId={knowledgeBaseId} document={document} outline={outline.data} made={made} />;
}

/** Beside each other where there is room, else one of the two. */
function SideBySide({ source, text }: { source: ReactNode; text: ReactNode }) {
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

function SourcePanel(props: { knowledgeBaseId: string; document: RagDocument; page?: number; pager?: ReactNode }) {
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

/** Why there is no text, and what can be done. */
function NoText({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
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

function ReadDocument(props: {
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
  // A chunk of an index of before is gone; its place is still there.
  const place =
    chosen === undefined && search.start !== undefined
      ? { start: search.start, end: search.end ?? search.start + 1 }
      : undefined;
  const wanted = chosen === undefined ? place?.start : chunks[chosen]?.start;
  const [turned, setTurned] = useState<{ to: number; from: PlaceSearch }>();
  // The address leads to its place until a page is turned.
  const at =
    turned !== undefined && turned.from === search ? turned.to : wanted === undefined ? 0 : sectionAt(sections, wanted);
  const section = sections[at] ?? { page: null, start: 0, end: 0, isBlank: false };
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
      <SectionPager
        label={name}
        at={at}
        count={sections.length}
        isPaged={section.page !== null}
        onChange={(to) => setTurned({ to, from: search })}
      />
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

/** Turns the pages of the source and the text together. */
function SectionPager(props: {
  label: string;
  at: number;
  count: number;
  isPaged: boolean;
  onChange: (to: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { label, at, count, isPaged, onChange } = props;
  const go = (to: number): void => onChange(Math.min(count - 1, Math.max(0, to)));
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${t('common.list.previous')}`}
        disabled={at === 0}
        onClick={() => go(at - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <NumberInput
        key={at}
        size="xs"
        w={64}
        hideControls
        min={1}
        max={count}
        aria-label={`${label}: ${t(isPaged ? 'knowledge.document.goToPage' : 'knowledge.document.goToPart')}`}
        defaultValue={at + 1}
        onBlur={(event) => {
          const wanted = Number(event.currentTarget.value);
          if (Number.isInteger(wanted) && wanted >= 1 && wanted !== at + 1) go(wanted - 1);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <Text size="xs" c="dimmed" className="figure">
        / {formatCount(count, locale)}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${t('common.list.next')}`}
        disabled={at === count - 1}
        onClick={() => go(at + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}

function ChosenChunk(props: {
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

function SectionText(props: {
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
