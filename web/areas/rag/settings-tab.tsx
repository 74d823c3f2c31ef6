import { Button, Group, Skeleton, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { IndexChange } from './index-change.tsx';
import { baseQuery, ragKeys } from './rag-queries.ts';
import { IndexRebuildState } from './index-rebuild-state.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/settings');

/** Name and description, model and chunking, and deletion of a knowledge base. */
export function SettingsTab() {
  const { knowledgeBaseId } = route.useParams();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const mayEdit = useMayEdit();
  if (base === undefined) return <Skeleton height={320} />;
  return (
    <Stack gap="md">
      {base.rebuild !== null && <IndexRebuildState base={base} rebuild={base.rebuild} mayEdit={mayEdit} />}
      <IndexChange
        // Starts over with the current settings after a switch.
        key={JSON.stringify([base.embeddingModel, base.chunking])}
        base={base}
        mayEdit={mayEdit}
      />
      <About base={base} mayEdit={mayEdit} />
      {mayEdit && <DeleteBase base={base} />}
    </Stack>
  );
}

function About({ base, mayEdit }: { base: KnowledgeBase; mayEdit: boolean }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft({ name: base.name, description: base.description });
  const { name, description } = draft.values;
  const save = useMutation({
    mutationFn: async () =>
      dataOf(
        api.PUT('/api/v1/rag/knowledge-bases/{knowledgeBaseId}', {
          params: { path: { knowledgeBaseId: base.id } },
          body: { name: name.trim(), description },
        }),
      ),
    onSuccess: async () => {
      notifyDone(t('knowledge.settings.saved'));
      await queryClient.invalidateQueries({ queryKey: ragKeys.bases });
    },
  });
  const isChanged = name.trim() !== base.name || description !== base.description;
  return (
    <section className="panel" aria-label={t('knowledge.settings.about')}>
      <form
        onSubmit={draft.submit(() => {
          if (isChanged && name.trim() !== '') save.mutate();
        })}
      >
        <Stack gap="sm" maw={560}>
          <Title order={2} size="h5">
            {t('knowledge.settings.about')}
          </Title>
          <TextInput
            label={t('knowledge.form.name')}
            maxLength={100}
            readOnly={!mayEdit}
            {...draft.text('name')}
            error={name.trim() === '' ? t('knowledge.form.nameRequired') : undefined}
          />
          <Textarea
            label={t('knowledge.form.description')}
            autosize
            minRows={2}
            maxLength={500}
            readOnly={!mayEdit}
            {...draft.text('description')}
          />
          {save.isError && <ErrorPanel error={save.error} />}
          {mayEdit && (
            <Group>
              <Button type="submit" disabled={!isChanged || name.trim() === ''} loading={save.isPending}>
                {t('common.actions.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </section>
  );
}

function DeleteBase({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <section className="panel" aria-label={t('knowledge.settings.delete')}>
      <Title order={2} size="h5" mb={4}>
        {t('knowledge.settings.delete')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('knowledge.settings.deleteLead')}
      </Text>
      <Button color="red" variant="light" leftSection={<IconTrash size={16} />} onClick={() => setAsked(true)}>
        {t('knowledge.settings.deleteAction')}
      </Button>
      <ConfirmDialog
        opened={isAsked}
        title={t('knowledge.settings.deleteTitle', { name: base.name })}
        action={t('knowledge.settings.deleteAction')}
        disabled={typed.trim() !== base.name}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await dataOf(
            api.DELETE('/api/v1/rag/knowledge-bases/{knowledgeBaseId}', {
              params: { path: { knowledgeBaseId: base.id } },
            }),
          );
          notifyDone(t('knowledge.settings.deleted', { name: base.name }));
          await navigate({ to: '/knowledge' });
          queryClient.removeQueries({ queryKey: ragKeys.base(base.id) });
          await queryClient.invalidateQueries({ queryKey: ragKeys.bases });
        }}
      >
        <Stack gap="sm">
          <span>{t('knowledge.settings.deleteExplained', { count: base.documentCount })}</span>
          <TextInput
            label={t('knowledge.settings.typeName', { name: base.name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDialog>
    </section>
  );
}
