import { Button, Group, NumberInput, Slider, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Chunking, KnowledgeBase } from '../../api/schema.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { ChunkingFields, chunkingProblem } from './chunking-fields.tsx';
import { ChunkingPreview } from './chunking-preview.tsx';
import { EmbeddingModelSelect } from './embedding-model-select.tsx';
import { ragKeys } from './rag-queries.ts';

/** Ranges of the sliders; larger numbers can be entered. */
const reach = { CHARACTERS: { size: 4_000, step: 50 }, TOKENS: { size: 1_000, step: 10 } } as const;

/** The model and chunking of a knowledge base: what chunks they make, and how to change them. */
export function IndexChange({ base, mayEdit }: { base: KnowledgeBase; mayEdit: boolean }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft({ embeddingModel: base.embeddingModel, chunking: base.chunking });
  const { embeddingModel, chunking } = draft.values;
  const setChunking = (next: Chunking): void => draft.set({ chunking: next });
  const isModelChanged = embeddingModel !== base.embeddingModel;
  const isChunkingChanged = JSON.stringify(ordered(chunking)) !== JSON.stringify(ordered(base.chunking));
  const isChanged = isModelChanged || isChunkingChanged;
  const save = useMutation({
    mutationFn: async (how: 'AUTOMATIC' | 'MANUAL') =>
      dataOf(
        api.PUT('/api/v1/rag/knowledge-bases/{knowledgeBaseId}', {
          params: { path: { knowledgeBaseId: base.id } },
          body: { embeddingModel, chunking, switch: how },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ragKeys.bases }),
  });
  const canSave = isChanged && chunkingProblem(chunking) === undefined;
  const isEmpty = base.documentCount === 0;
  return (
    <section className="panel" aria-label={t('knowledge.settings.index')}>
      <Title order={2} size="h5">
        {t('knowledge.settings.index')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('knowledge.settings.indexLead')}
      </Text>
      <div className="side-by-side">
        <Stack gap="sm">
          <EmbeddingModelSelect {...draft.value('embeddingModel')} disabled={!mayEdit} />
          <ChunkingFields value={chunking} onChange={setChunking} withoutSizes />
          <SizeSlider
            label={t('knowledge.chunking.size')}
            value={chunking.size}
            min={1}
            most={reach[chunking.unit].size}
            step={reach[chunking.unit].step}
            onChange={(size) => setChunking({ ...chunking, size, overlap: Math.min(chunking.overlap, size - 1) })}
          />
          <SizeSlider
            label={t('knowledge.chunking.overlap')}
            value={chunking.overlap}
            min={0}
            most={Math.max(1, Math.min(chunking.size - 1, Math.floor(reach[chunking.unit].size / 2)))}
            step={Math.max(1, reach[chunking.unit].step / 5)}
            onChange={(overlap) => setChunking({ ...chunking, overlap: Math.min(overlap, chunking.size - 1) })}
          />
          {mayEdit && isChanged && (
            <Stack gap="xs">
              {save.isError && <ErrorPanel error={save.error} />}
              <Group gap="xs">
                {isEmpty ? (
                  <Button disabled={!canSave} loading={save.isPending} onClick={() => save.mutate('AUTOMATIC')}>
                    {t('common.actions.save')}
                  </Button>
                ) : (
                  <>
                    <Button disabled={!canSave} loading={save.isPending} onClick={() => save.mutate('MANUAL')}>
                      {t('knowledge.rebuild.start')}
                    </Button>
                    <Button
                      variant="light"
                      disabled={!canSave || save.isPending}
                      onClick={() => save.mutate('AUTOMATIC')}
                    >
                      {t('knowledge.rebuild.startAndSwitch')}
                    </Button>
                  </>
                )}
                <Button
                  variant="default"
                  onClick={() => draft.set({ embeddingModel: base.embeddingModel, chunking: base.chunking })}
                >
                  {t('knowledge.settings.reset')}
                </Button>
              </Group>
              {!isEmpty && (
                <Text size="xs" c="dimmed">
                  {t(isModelChanged ? 'knowledge.rebuild.paysAll' : 'knowledge.rebuild.paysNew')}
                </Text>
              )}
            </Stack>
          )}
        </Stack>
        <ChunkingPreview knowledgeBaseId={base.id} chunking={chunking} />
      </div>
    </section>
  );
}

function ordered({ strategy, size, overlap, unit, separators }: Chunking): unknown[] {
  return [strategy, size, overlap, unit, strategy === 'CUSTOM_SEPARATOR' ? separators : undefined];
}

function SizeSlider(props: {
  label: string;
  value: number;
  min: number;
  most: number;
  step: number;
  onChange: (value: number) => void;
}) {
  const locale = useLocale();
  const { label, value, min, most, step, onChange } = props;
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <NumberInput
          aria-label={label}
          size="xs"
          w={96}
          value={value}
          min={min}
          max={100_000}
          allowDecimal={false}
          onChange={(next) => typeof next === 'number' && next >= min && onChange(next)}
        />
      </Group>
      <Slider
        thumbLabel={label}
        min={min}
        max={Math.max(most, value)}
        step={1}
        label={null}
        thumbValueText={formatCount(value, locale)}
        value={value}
        // Rounds to multiples of the step; the ends stay reachable.
        onChange={(next) => onChange(next <= min ? min : Math.max(min, Math.round(next / step) * step))}
      />
    </div>
  );
}
