import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { StepProblem } from './step-problem.ts';

/** Explains a refused parameter, names the step as the page labels it, and links to the field. */
export function RefusalAlert({ problem, title, onShow }: { problem: StepProblem; title: string; onShow: () => void }) {
  const { t } = useTranslation();
  const { number, name, fieldLabel, text } = problem;
  return (
    <Alert role="alert" color="red" icon={<IconAlertTriangle />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {fieldLabel === undefined
            ? t('cleaning.steps.problem', { number, name, problem: text })
            : t('cleaning.steps.fieldProblem', { number, name, field: fieldLabel, problem: text })}
        </Text>
        <Button size="xs" variant="light" color="red" onClick={onShow}>
          {t('cleaning.steps.showProblem')}
        </Button>
      </Stack>
    </Alert>
  );
}
