import { Button, Collapse, Group, Modal, Stack, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { NewKnowledgeBase } from '../../api/schema.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ChunkingFields, chunkingProblem, defaultChunking } from './chunking-fields.tsx';
import { builtInEmbedding, EmbeddingModelSelect } from './embedding-model-select.tsx';
import { ragKeys } from './rag-queries.ts';

/** The form of a new knowledge base, which needs only a name; opens it when created. */
export function CreateBaseDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('knowledge.form.createTitle')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <NewBaseForm onClose={onClose} />
    </Modal>
  );
}

function NewBaseForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isAdvanced, setAdvanced] = useState(false);
  const draft = useDraft(
    { name: '', description: '', embeddingModel: builtInEmbedding, chunking: defaultChunking },
    {
      checks: {
        name: ({ name }) => {
          if (name.trim() === '') return t('knowledge.form.nameRequired');
          return [...name.trim()].length > 100 ? t('knowledge.form.nameTooLong') : undefined;
        },
      },
    },
  );
  const create = useMutation({
    mutationFn: async (body: NewKnowledgeBase) =>
      (await dataOf(api.POST('/api/v1/rag/knowledge-bases', { body }))).data,
    onSuccess: async (base) => {
      await queryClient.invalidateQueries({ queryKey: ragKeys.bases });
      notifyDone(t('knowledge.form.created', { name: base.name }));
      await navigate({ to: '/knowledge/$knowledgeBaseId', params: { knowledgeBaseId: base.id } });
    },
  });
  const Chevron = isAdvanced ? IconChevronDown : IconChevronRight;
  return (
    <form
      onSubmit={draft.submit((values) => {
        if (chunkingProblem(values.chunking) === undefined) create.mutate({ ...values, name: values.name.trim() });
      })}
    >
      <Stack gap="sm">
        <TextInput
          label={t('knowledge.form.name')}
          description={t('knowledge.form.nameHelp')}
          data-autofocus
          {...draft.text('name')}
        />
        <Textarea
          label={t('knowledge.form.description')}
          autosize
          minRows={2}
          maxLength={500}
          {...draft.text('description')}
        />
        <UnstyledButton className="fold-button" aria-expanded={isAdvanced} onClick={() => setAdvanced(!isAdvanced)}>
          <Chevron size={14} aria-hidden /> {t('knowledge.form.advanced')}
        </UnstyledButton>
        <Collapse expanded={isAdvanced}>
          <Stack gap="sm">
            <EmbeddingModelSelect
              value={draft.values.embeddingModel}
              onChange={draft.value('embeddingModel').onChange}
            />
            <ChunkingFields value={draft.values.chunking} onChange={draft.value('chunking').onChange} />
          </Stack>
        </Collapse>
        {create.isError && <ErrorPanel error={create.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.actions.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('common.actions.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
