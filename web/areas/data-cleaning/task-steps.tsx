import { Alert, Badge, Stack, Text } from '@mantine/core';
import { IconUnlink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CleaningTask } from '../../api/schema.ts';
import { valueText } from '../../ui/field-value.ts';
import { Panel } from '../../ui/panel.tsx';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { useModelNames } from '../settings/model-field.tsx';
import { useStepOperators } from './builder/use-step-operators.ts';
import { operatorOf } from './drafts/draft.ts';
import { StoredParams } from './stored-params.tsx';
import { useOperators } from './use-operators.ts';

/** Steps whose published operator is gone, and where to install it again. */
export function MissingOperators({ missing }: { missing: CleaningTask['missingOperators'] }) {
  const { t } = useTranslation();
  if (missing.length === 0) return null;
  return (
    <Alert role="alert" color="orange" icon={<IconUnlink size={18} />} title={t('cleaning.task.missing.title')}>
      <Text size="sm">{t('cleaning.task.missing.lead')}</Text>
      <ul className="plain-list">
        {missing.map(({ step, operatorId, version }) => (
          <li key={step}>
            {t('cleaning.task.missing.step', { number: step + 1, operator: operatorId, version })}{' '}
            <Link to="/market/operators/$operatorId" params={{ operatorId }}>
              {t('cleaning.task.missing.toMarket')}
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** The steps of a task with their parameters. */
export function Steps({ task }: { task: CleaningTask }) {
  const { t, i18n } = useTranslation();
  const installed = useOperators();
  const operators = useStepOperators(
    installed.data ?? [],
    task.steps.map(({ operatorId, version, digest }) => ({
      operatorId,
      ...(digest === undefined ? {} : { version }),
    })),
  );
  const modelName = useModelNames();
  return (
    <Panel title={t('cleaning.steps.title')}>
      <Stack gap="xs" component="ol" className="numbered">
        {task.steps.map(({ operatorId, version, digest, params }, index) => {
          const operator = operatorOf({ operatorId, ...(digest === undefined ? {} : { version }) }, operators);
          return (
            <li key={index}>
              <Text size="sm" fw={600} title={`${operatorId} ${version}`}>
                <span data-verbatim={operator === undefined || undefined}>{operator?.name ?? operatorId}</span>{' '}
                {task.missingOperators.some(({ step }) => step === index) && (
                  <Badge size="xs" color="orange" variant="light" className="status">
                    {t('cleaning.steps.unknown')}
                  </Badge>
                )}{' '}
                {digest !== undefined && (
                  <Text span size="xs" c="dimmed">
                    {version}
                  </Text>
                )}
              </Text>
              {operator === undefined ? (
                <StoredParams params={params} />
              ) : (
                <Text size="xs" c="dimmed">
                  {fieldsOf(operator.paramsSchema)
                    .map((field) => {
                      const text = valueText(field, params[field.name], t, i18n.language);
                      return `${field.label}: ${field.kind === 'model' ? modelName(text) : text}`;
                    })
                    .join(' · ')}
                </Text>
              )}
            </li>
          );
        })}
      </Stack>
    </Panel>
  );
}
