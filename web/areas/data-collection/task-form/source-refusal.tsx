import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import type { Field } from '../../../ui/schema-fields.ts';
import { sourceProblemOf } from '../source-problem.ts';

/** Why a source was refused, by the label of the field if a field is at fault. */
export function SourceRefusal({ error, fields }: { error: Error; fields: readonly Field[] }) {
  const { t, i18n } = useTranslation();
  const problem = sourceProblemOf(error, fields, i18n.language);
  if (problem === undefined) return <ErrorPanel error={error} />;
  return (
    <Alert color="red" role="alert">
      {t('collection.form.refused', { field: problem.label, problem: problem.text })}
    </Alert>
  );
}
