import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../api/schema.ts';
import { localizeOperator } from '../../messages/operator-texts.ts';
import { operatorsQuery } from './cleaning-queries.ts';

/** All installed operators, the built-in ones in the language of the page. */
export function useOperators(): UseQueryResult<Operator[]> {
  const { language } = useTranslation().i18n;
  const select = useCallback(
    (operators: Operator[]) => operators.map((operator) => localizeOperator(operator, language)),
    [language],
  );
  return useQuery({ ...operatorsQuery, select });
}
