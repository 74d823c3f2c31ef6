import { Alert, Anchor, Button, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RagDocument } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Bytes } from '../../ui/figures.tsx';
import { Page } from '../../ui/page.tsx';
import { NoText, SideBySide, SourcePanel } from './document-panels.tsx';
import { DocumentReceipt } from './document-receipt.tsx';
import { DocumentState } from './document-state.tsx';
import { contentUrl, outlineQuery } from './document-text-queries.ts';
import { baseQuery, documentQuery, isUnderWay } from './rag-queries.ts';
import { ReadDocument } from './read-document.tsx';

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
          <DocumentReceipt knowledgeBaseId={knowledgeBaseId} document={document} />
          <DocumentBody knowledgeBaseId={knowledgeBaseId} document={document} />
        </>
      )}
    </Page>
  );
}

function DocumentBody({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
  const { t } = useTranslation();
  // A document that was read or split again has another outline.
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
