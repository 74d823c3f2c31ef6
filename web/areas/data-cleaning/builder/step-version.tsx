import { Anchor, Group, Loader, Select, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { notifyError } from '../../../ui/notify.ts';
import { fetchOperator, operatorVersionsQuery } from '../cleaning-queries.ts';
import type { DraftStep } from '../drafts/draft.ts';

/** Chooses the version of a published operator for a step; the installed one is the default. */
export function StepVersion({
  step,
  operator,
  onChange,
}: {
  step: DraftStep;
  operator: Operator;
  onChange: (operator: Operator) => void;
}) {
  const { t } = useTranslation();
  const versions = useQuery(operatorVersionsQuery(operator.id));
  const choose = useMutation({
    mutationFn: (version: string) => fetchOperator(operator.id, version),
    onSuccess: onChange,
    onError: notifyError,
  });
  const usable = versions.data?.filter(
    ({ capabilities, status }) => capabilities.length === 0 || status === 'APPROVED',
  );
  return (
    <Group gap="xs" mb="xs" align="flex-end">
      <Select
        size="xs"
        label={t('cleaning.steps.version')}
        data={(usable ?? [{ version: operator.version, installed: operator.installed }]).map(
          ({ version, installed }) => ({
            value: version,
            label: installed ? t('cleaning.steps.installedVersion', { version }) : version,
          }),
        )}
        value={step.version ?? operator.version}
        allowDeselect={false}
        disabled={choose.isPending}
        rightSection={choose.isPending ? <Loader size={14} /> : undefined}
        onChange={(version) => version !== null && version !== operator.version && choose.mutate(version)}
      />
      <Text size="xs" c="dimmed">
        {t('cleaning.steps.publisher', { name: operator.createdBy ?? operator.author })} ·{' '}
        <Anchor component={Link} size="xs" to={`/market/operators/${operator.id}`}>
          {t('cleaning.steps.inMarket')}
        </Anchor>
      </Text>
    </Group>
  );
}
