import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../settings/model-queries.ts';

/** The models that can be asked. */
export function useChatModels() {
  const models = useQuery(modelsQuery);
  return { ...models, data: models.data?.filter(({ kind }) => kind === 'CHAT') };
}
