import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { baseQuery, countUnderWay } from './rag-queries.ts';
import { SearchForm } from './search-form.tsx';
import { SearchHits } from './search-hits.tsx';
import { NothingToSearch, StillProcessed } from './search-notices.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/search');

/** Searches a knowledge base: by meaning, by words or both; hits with scores, highlights, and why they were found. */
export function SearchTab() {
  const { knowledgeBaseId } = route.useParams();
  const search = route.useSearch();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  return (
    <Stack gap="sm">
      <SearchForm key={knowledgeBaseId} knowledgeBaseId={knowledgeBaseId} />
      <StillProcessed knowledgeBaseId={knowledgeBaseId} />
      {base?.chunkCount === 0 && countUnderWay(base) === 0 ? (
        <NothingToSearch knowledgeBaseId={knowledgeBaseId} />
      ) : (
        search.q !== undefined && <SearchHits knowledgeBaseId={knowledgeBaseId} search={search} />
      )}
    </Stack>
  );
}
