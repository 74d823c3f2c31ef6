import i18next from 'i18next';
import { api, dataOf } from '../../api/client.ts';
import { localizeOperator } from '../../messages/operator-texts.ts';
import type { Found } from '../../shell/area.ts';
import { findOperators as searchOperators } from './operator-search.ts';

/** Finds operators by what they do, in the language of the page or in English. */
export async function findOperators(keyword: string, size: number): Promise<readonly Found[]> {
  const { data } = await dataOf(api.GET('/api/v1/operator-market/operators', { params: { query: { size: 1000 } } }));
  const shown = data.content.map((operator) => localizeOperator(operator, i18next.language));
  const inEnglish = searchOperators(data.content, keyword).map(({ id }) => id);
  const found = new Set([...searchOperators(shown, keyword).map(({ id }) => id), ...inEnglish]);
  return [...found]
    .flatMap((wanted) => shown.find(({ id }) => id === wanted) ?? [])
    .slice(0, size)
    .map(({ id, name, description, source }) => ({
      id,
      label: name,
      description,
      to: source === 'PUBLISHED' ? `/market/operators/${id}` : `/operators/${id}`,
    }));
}
