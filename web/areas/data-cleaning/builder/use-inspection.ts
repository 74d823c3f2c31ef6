import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CleaningInspection } from '../../../api/schema.ts';
import { inspectionQuery } from '../cleaning-queries.ts';
import { inputToSend, sourcesToSend, type Draft } from '../drafts/draft.ts';

const quietMs = 250;

/** The service's report of how it would read the files of a draft's source. */
export function useInspection(draft: Draft): UseQueryResult<CleaningInspection> {
  const { sourceDatasetId, sourceVersion, sourceFolder, moreSources } = draft;
  const { prefix, fileTypes, exclude, textField, textFields, encoding } = draft;
  const next = useMemo(
    () =>
      sourceDatasetId === ''
        ? undefined
        : {
            ...sourcesToSend({ sourceDatasetId, sourceVersion, sourceFolder, moreSources }),
            input: inputToSend({ prefix, fileTypes, exclude, textField, textFields, encoding, where: [] }),
          },
    [
      sourceDatasetId,
      sourceVersion,
      sourceFolder,
      moreSources,
      prefix,
      fileTypes,
      exclude,
      textField,
      textFields,
      encoding,
    ],
  );
  const [request] = useDebouncedValue(next, quietMs);
  return useQuery(inspectionQuery(request));
}
