import { Anchor, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorOfAnswer } from '../../api/errors.ts';
import type { RagDocument } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatBytes } from '../../ui/format.ts';
import { contentUrl } from './document-text-queries.ts';
import { ragKeys } from './rag-queries.ts';

/** The PDF renderer is loaded only when a PDF is opened. */
const PdfSource = lazy(async () => ({ default: (await import('../../ui/pdf/pdf-source.tsx')).PdfSource }));

const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
};
const shownBytes = 256 * 1024;
const mostPictureBytes = 32 * 2 ** 20;

/** The original of a document: the page of a PDF, a picture or text; else a link to download it. */
export function DocumentSource({
  knowledgeBaseId,
  document,
  page,
}: {
  knowledgeBaseId: string;
  document: RagDocument;
  page: number;
}) {
  const url = contentUrl(knowledgeBaseId, document.id);
  const { fileType, fileSize, name } = document;
  if (fileType === 'pdf')
    return (
      <Suspense fallback={<Skeleton height={420} />}>
        <PdfSource url={url} page={page} name={name} />
      </Suspense>
    );
  if (pictures[fileType] !== undefined && fileSize <= mostPictureBytes)
    return <Picture knowledgeBaseId={knowledgeBaseId} document={document} type={pictures[fileType]} />;
  return <PlainSource knowledgeBaseId={knowledgeBaseId} document={document} />;
}

/** The first bytes of the source. */
function useBytes(knowledgeBaseId: string, { id, fileSize }: RagDocument, count: number) {
  return useQuery({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'document', id, 'bytes', count],
    queryFn: async ({ signal }) => {
      if (fileSize === 0) return new Uint8Array();
      const headers: Record<string, string> = count < fileSize ? { Range: `bytes=0-${count - 1}` } : {};
      const response = await fetch(contentUrl(knowledgeBaseId, id), { headers, signal });
      if (!response.ok) throw await errorOfAnswer(response);
      return new Uint8Array(await response.arrayBuffer());
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function Picture(props: { knowledgeBaseId: string; document: RagDocument; type: string }) {
  const bytes = useBytes(props.knowledgeBaseId, props.document, mostPictureBytes);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (bytes.data === undefined) return;
    const made = URL.createObjectURL(new Blob([new Uint8Array(bytes.data)], { type: props.type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes.data, props.type]);
  if (bytes.isError) return <ErrorPanel error={bytes.error} onRetry={() => void bytes.refetch()} />;
  if (url === undefined) return <Skeleton height={320} />;
  return (
    <div className="image-frame">
      <img src={url} alt={props.document.name} className="image-fit" />
    </div>
  );
}

/** Text as text; it is never executed or rendered. */
function PlainSource({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const bytes = useBytes(knowledgeBaseId, document, shownBytes);
  if (bytes.isError) return <ErrorPanel error={bytes.error} onRetry={() => void bytes.refetch()} />;
  if (bytes.data === undefined) return <Skeleton height={320} />;
  const text = decode(bytes.data);
  if (text === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('knowledge.document.cannotShow')}{' '}
        <Anchor href={contentUrl(knowledgeBaseId, document.id)} download={document.name} inherit>
          {t('common.actions.download')}
        </Anchor>
      </Text>
    );
  return (
    <>
      {document.fileSize > shownBytes && (
        <Text size="xs" c="orange" mb="xs">
          {t('knowledge.document.onlyFirst', {
            shown: formatBytes(shownBytes, locale),
            size: formatBytes(document.fileSize, locale),
          })}{' '}
          <Anchor href={contentUrl(knowledgeBaseId, document.id)} download={document.name} inherit>
            {t('knowledge.document.downloadWhole')}
          </Anchor>
        </Text>
      )}
      <pre className="source-text">{text}</pre>
    </>
  );
}

/**
 * Undefined for bytes that are not text. UTF-16 is recognized by its byte order mark; what is not valid UTF-8 is tried as
 * Chinese, then as Western text.
 */
function decode(bytes: Uint8Array): string | undefined {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  if (bytes.includes(0)) return undefined;
  for (const encoding of ['utf-8', 'gb18030']) {
    try {
      // The last character may be incomplete.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    } catch {
      continue;
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}
