import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../settings/model-queries.ts';

/** The chat models that can be used. */
export function useChatModels() {
  const models = useQuery(modelsQuery);
  return { ...models, data: models.data?.filter(({ kind }) => kind === 'CHAT') };
}
