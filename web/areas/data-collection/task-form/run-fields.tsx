import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ScheduleFields } from '../../../runs/schedule-fields.tsx';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import type { TaskDraft } from './task-draft.ts';

/** The task's name, and how and when it runs. */
export function RunFields({ draft, canBeIncremental }: { draft: Draft<TaskDraft>; canBeIncremental: boolean }) {
  const { t } = useTranslation();
  const { schedule } = draft.values;
  return (
    <FieldsPanel title={t('collection.form.how')} gap="xs">
      <TextInput label={t('runs.columns.name')} required maxLength={100} {...draft.text('name')} />
      <Textarea label={t('collection.form.description')} autosize maxLength={1000} {...draft.text('description')} />
      {canBeIncremental && (
        <Checkbox
          label={t('collection.form.incremental')}
          description={t('collection.form.incrementalHelp')}
          {...draft.flag('incremental')}
        />
      )}
      <Checkbox
        label={t('collection.form.scheduled')}
        checked={schedule !== undefined}
        onChange={(event) =>
          draft.set({
            schedule: event.currentTarget.checked
              ? { cron: '0 3 * * *', timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
              : undefined,
          })
        }
      />
      {schedule !== undefined && <ScheduleFields value={schedule} onChange={(next) => draft.set({ schedule: next })} />}
    </FieldsPanel>
  );
}
