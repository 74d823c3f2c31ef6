import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { DocumentReceipt } from './document-receipt.tsx';
import { DocumentState } from './document-state.tsx';
import { baseQuery, documentQuery, ragKeys } from './rag-queries.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/documents/$documentId');

/** A document: its state, its receipt, and its chunks. */
export function DocumentPage() {
  const { t } = useTranslation();
  const { knowledgeBaseId, documentId } = route.useParams();
  const { chunk } = route.useSearch();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const document = useQuery(documentQuery(knowledgeBaseId, documentId));
  const chunks = useQuery({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'document', documentId, 'chunks'],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/chunks', {
            params: { path: { knowledgeBaseId, documentId }, query: { size: 1000 } },
          }),
        )
      ).data,
  });
  const problem = [document, chunks].find(({ isError }) => isError);
  if (problem !== undefined) return <ErrorPanel error={problem.error} onRetry={() => void problem.refetch()} />;
  const data = document.data;
  return (
    <Page
      compact
      title={data?.name}
      breadcrumbs={
        <Anchor component={Link} to="/knowledge/$knowledgeBaseId" params={{ knowledgeBaseId } as never} size="sm">
          {base?.name ?? t('knowledge.title')}
        </Anchor>
      }
      lead={data !== undefined && <DocumentState status={data.status} />}
    >
      {data !== undefined && <DocumentReceipt document={data} />}
      {chunks.data === undefined ? (
        <Skeleton height={320} />
      ) : (
        <Stack gap="xs">
          {chunks.data.content.map(({ chunkId, text }) => (
            <div key={chunkId} className="panel hit-text" data-open={chunk === chunkId || undefined}>
              {text}
            </div>
          ))}
        </Stack>
      )}
    </Page>
  );
}
