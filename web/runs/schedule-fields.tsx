import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useScheduleInWords } from './schedule-in-words.ts';

export type ScheduleValue = { cron: string; timezone: string };

/** The fields of a schedule, with its meaning in words. */
export function ScheduleFields({
  value,
  onChange,
}: {
  value: ScheduleValue;
  onChange: (value: ScheduleValue) => void;
}) {
  const { t } = useTranslation();
  const inWords = useScheduleInWords();
  return (
    <Stack gap="xs">
      <TextInput
        label={t('runs.schedule.cron')}
        description={t('runs.schedule.cronHelp')}
        value={value.cron}
        onChange={(event) => onChange({ ...value, cron: event.currentTarget.value })}
        required
        data-autofocus
      />
      <Select
        label={t('runs.schedule.timezone')}
        data={['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]}
        value={value.timezone}
        onChange={(zone) => onChange({ ...value, timezone: zone ?? 'UTC' })}
        searchable
        allowDeselect={false}
      />
      <Text size="sm" role="status">
        {inWords(value.cron)} · {value.timezone}
      </Text>
    </Stack>
  );
}
