import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CleaningInspection } from '../../../api/schema.ts';
import { inspectionQuery } from '../cleaning-queries.ts';
import { inputToSend, type Draft } from './draft.ts';

const quietMs = 250;

/** How the files of a draft's source would be read. */
export function useInspection(draft: Draft): UseQueryResult<CleaningInspection> {
  const { sourceDatasetId, sourceVersion, prefix, fileTypes, exclude, textField, textFields, encoding } = draft;
  const next = useMemo(
    () =>
      sourceDatasetId === ''
        ? undefined
        : {
            sourceDatasetId,
            ...(sourceVersion === undefined ? {} : { sourceVersion }),
            input: inputToSend({ prefix, fileTypes, exclude, textField, textFields, encoding, where: [] }),
          },
    [sourceDatasetId, sourceVersion, prefix, fileTypes, exclude, textField, textFields, encoding],
  );
  const [request] = useDebouncedValue(next, quietMs);
  return useQuery(inspectionQuery(request));
}
