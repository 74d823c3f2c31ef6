import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { clozeId, clozeLacks } from './cloze-fit.ts';

type Props = {
  template: Parameters<typeof clozeLacks>[0];
  model: string | undefined;
  /** The model of the task's judge; undefined without one. */
  judge?: string | undefined;
};

/** Warns before a run if the built-in model can not produce what is required of it. */
export function ClozeWarning({ template, model, judge }: Props) {
  const { t } = useTranslation();
  const lacking = model === undefined ? [] : clozeLacks(template, model);
  if (lacking.length === 0 && judge !== clozeId) return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} py="xs">
      {[
        ...(lacking.length === 0 ? [] : [t('synthesis.form.clozeLacks', { names: lacking.join(', ') })]),
        ...(judge === clozeId ? [t('synthesis.form.clozeNoJudge')] : []),
      ].join(' ')}
    </Alert>
  );
}
