import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { modelsQuery } from '../settings/model-queries.ts';

export const builtInEmbedding = 'builtin-hash-512';

/** The configured models of a kind. */
export function useModels(kind: 'CHAT' | 'EMBEDDING' | 'RERANKER') {
  const models = useQuery(modelsQuery);
  return { ...models, data: models.data?.filter((model) => model.kind === kind) };
}

/** The name of a model by its id; a built-in one is referred to by its name. */
export function useModelName(): (reference: string) => string {
  const models = useQuery(modelsQuery);
  return (reference) => models.data?.find(({ id, name }) => id === reference || name === reference)?.name ?? reference;
}

export function EmbeddingModelSelect(props: { value: string; onChange: (id: string) => void; disabled?: boolean }) {
  const { t } = useTranslation();
  const models = useModels('EMBEDDING');
  const chosen = models.data?.find(({ id, name }) => id === props.value || name === props.value);
  return (
    <Select
      label={t('knowledge.form.model')}
      description={t('knowledge.form.modelHelp')}
      data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen?.id ?? null}
      placeholder={props.value}
      allowDeselect={false}
      disabled={props.disabled ?? false}
      onChange={(id) => id !== null && props.onChange(id)}
    />
  );
}
