import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Connector } from '../../api/schema.ts';
import { localizeConnector } from '../../messages/connector-texts.ts';
import { connectorsQuery } from './collection-queries.ts';

/** All connectors, in the language of the page. */
export function useConnectors(): UseQueryResult<Connector[]> {
  const { language } = useTranslation().i18n;
  const select = useCallback(
    (connectors: Connector[]) => connectors.map((connector) => localizeConnector(connector, language)),
    [language],
  );
  return useQuery({ ...connectorsQuery, select });
}
