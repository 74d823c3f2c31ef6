import i18next from 'i18next';
import { api, dataOf } from '../../api/client.ts';
import { localizeOperator } from '../../messages/operator-texts.ts';
import type { Found } from '../../shell/area.ts';

/** Operators by words of their name, id or description, in the language of the page or in English. */
export async function findOperators(keyword: string, size: number): Promise<readonly Found[]> {
  const words = keyword.toLowerCase().split(/\s+/);
  const { data } = await dataOf(api.GET('/api/v1/operator-market/operators', { params: { query: { size: 1000 } } }));
  return data.content
    .map((operator) => ({ operator, shown: localizeOperator(operator, i18next.language) }))
    .filter(({ operator, shown }) => {
      const text = [operator.id, operator.name, operator.description, shown.name, shown.description]
        .join(' ')
        .toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .slice(0, size)
    .map(({ shown: { id, name, description } }) => ({ id, label: name, description, to: `/operators/${id}` }));
}
