import { Button, Menu, Text } from '@mantine/core';
import { IconTemplate } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { cleaningKeys } from '../cleaning-queries.ts';
import { useTemplates } from '../use-templates.ts';
import { stepOf, stepsToSend, type Draft, type DraftStep } from '../drafts/draft.ts';
import { TextDialog } from '../../../ui/text-dialog.tsx';

/** Loads the steps of a template, or saves the draft's steps as one. */
export function TemplateMenu({ draft, onSteps }: { draft: Draft; onSteps: (steps: DraftStep[]) => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const templates = useTemplates({ size: 100 });
  const [naming, setNaming] = useState(false);
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="subtle" leftSection={<IconTemplate size={14} />}>
            {t('cleaning.templates.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} className="scrolls">
          <Menu.Label>{t('cleaning.templates.load')}</Menu.Label>
          {(templates.data?.content ?? []).map(({ id, name, description, steps }) => (
            <Menu.Item
              key={id}
              onClick={() => onSteps(steps.map((step) => stepOf(step.operatorId, step.params)))}
              maw={360}
            >
              <Text size="sm">{name}</Text>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {description}
              </Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={draft.steps.length === 0} onClick={() => setNaming(true)}>
            {t('cleaning.templates.saveAs')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <TextDialog
          title={t('cleaning.templates.saveAs')}
          label={t('runs.columns.name')}
          help={t('cleaning.templates.nameHelp')}
          initial={draft.name}
          action={t('common.actions.save')}
          onClose={() => setNaming(false)}
          onSubmit={async (name) => {
            await dataOf(api.POST('/api/v1/data-cleaning/templates', { body: { name, steps: stepsToSend(draft) } }));
            await queryClient.invalidateQueries({ queryKey: cleaningKeys.templates });
            notifyDone(t('cleaning.templates.saved', { name }));
          }}
        />
      )}
    </>
  );
}
