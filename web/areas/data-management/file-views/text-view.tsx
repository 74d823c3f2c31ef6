import { ActionIcon, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetFile } from '../../../api/schema.ts';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { DocumentView } from './document-view.tsx';
import { FileTextFrame } from './file-text-frame.tsx';
import { useFileText, type FileText, type ShownFile } from './use-file-text.ts';

const mostMatches = 5_000;
const highlightName = 'found';

/** A file as plain text; it is never executed or rendered. */
export function TextView(shown: ShownFile) {
  const { t } = useTranslation();
  const { file } = shown;
  const content = useFileText(shown, 'text');
  if (file.fileSize === 0) return <Text c="dimmed">{t('datasets.file.empty')}</Text>;
  // The bytes are those of a document, although the name does not show it.
  if (content.isDocument) return <DocumentView {...shown} />;
  return (
    <FileTextFrame content={content}>{(text) => <Pages file={file} content={content} text={text} />}</FileTextFrame>
  );
}

function Pages({ file, content, text }: { file: DatasetFile; content: FileText; text: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [wrap, setWrap] = useState(true);
  const body = useRef<HTMLPreElement>(null);
  const { bytesRead } = content;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="md">
          <Switch
            label={t('datasets.file.wrap')}
            checked={wrap}
            onChange={(event) => setWrap(event.currentTarget.checked)}
          />
          <Text size="xs" c="dimmed">
            {content.encoding?.toUpperCase()}
          </Text>
        </Group>
        <Finder text={text} body={body} />
      </Group>
      <pre ref={body} className="file-text" data-wrap={wrap || undefined} tabIndex={0} aria-label={file.fileName}>
        {text}
      </pre>
      {!content.isWhole && content.problem === undefined && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {bytesRead === undefined
              ? t('data.firstCharacters', { count: text.length, shown: formatCount(text.length, locale) })
              : t('datasets.file.shownPart', {
                  shown: formatBytes(bytesRead, locale),
                  total: formatBytes(file.fileSize, locale),
                })}
          </Text>
          {content.hasMore && (
            <Button variant="light" size="xs" loading={content.isReadingMore} onClick={content.readMore}>
              {t('datasets.file.loadMore')}
            </Button>
          )}
        </Group>
      )}
      <Text className="sr-only" aria-live="polite">
        {formatCount(text.length, locale)}
      </Text>
    </Stack>
  );
}

/** Finds a text in the shown part, marks all matches and jumps between them. */
function Finder({ text, body }: { text: string; body: RefObject<HTMLPreElement | null> }) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState(0);
  const places = useMemo(() => findPlaces(text, wanted), [text, wanted]);

  useEffect(() => {
    const node = body.current?.firstChild;
    if (node === null || node === undefined || !('highlights' in CSS)) return;
    const ranges = places.map((start) => rangeOf(node, start, wanted.length));
    CSS.highlights.set(highlightName, new Highlight(...ranges));
    const active = ranges[current];
    CSS.highlights.set(`${highlightName}-current`, new Highlight(...(active === undefined ? [] : [active])));
    if (active !== undefined) scrollTo(active, body.current);
    return () => {
      CSS.highlights.delete(highlightName);
      CSS.highlights.delete(`${highlightName}-current`);
    };
  }, [places, current, wanted, body]);

  const go = (step: number): void => {
    if (places.length > 0) setCurrent((now) => (now + step + places.length) % places.length);
  };
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        size="xs"
        type="search"
        aria-label={t('datasets.file.find')}
        placeholder={t('datasets.file.find')}
        leftSection={<IconSearch size={14} />}
        value={wanted}
        onChange={(event) => {
          setWanted(event.currentTarget.value);
          setCurrent(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
        }}
      />
      {wanted !== '' && (
        <>
          <Text size="xs" c="dimmed" className="figure" aria-live="polite">
            {t('datasets.file.matches', { count: places.length })}
          </Text>
          <ActionIcon variant="subtle" color="gray" aria-label={t('common.list.previous')} onClick={() => go(-1)}>
            <IconChevronUp size={15} />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" aria-label={t('common.list.next')} onClick={() => go(1)}>
            <IconChevronDown size={15} />
          </ActionIcon>
        </>
      )}
    </Group>
  );
}

function findPlaces(text: string, wanted: string): number[] {
  const places: number[] = [];
  if (wanted === '') return places;
  const haystack = text.toLowerCase();
  const needle = wanted.toLowerCase();
  // If lower-casing changes the length, positions would shift, so the search is case-sensitive.
  const [from, what] = haystack.length === text.length ? [haystack, needle] : [text, wanted];
  for (let at = from.indexOf(what); at !== -1 && places.length < mostMatches; at = from.indexOf(what, at + what.length))
    places.push(at);
  return places;
}

function rangeOf(node: Node, start: number, length: number): Range {
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, start + length);
  return range;
}

function scrollTo(range: Range, frame: HTMLElement | null): void {
  if (frame === null) return;
  const place = range.getBoundingClientRect();
  const view = frame.getBoundingClientRect();
  if (place.top < view.top || place.bottom > view.bottom) frame.scrollTop += place.top - view.top - view.height / 3;
  if (place.left < view.left || place.right > view.right) frame.scrollLeft += place.left - view.left - view.width / 3;
}
