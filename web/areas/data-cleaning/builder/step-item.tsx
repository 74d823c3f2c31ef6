import { ActionIcon, Badge, Collapse, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { useSortable } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconDots,
  IconGripVertical,
  IconTrash,
} from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { valueText } from '../../../ui/field-value.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { fieldsOf, type Field } from '../../../ui/schema-fields.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { DatasetReferences } from '../../data-management/dataset-references.tsx';
import { ModelField, useModelNames } from '../../settings/model-field.tsx';
import type { DraftStep } from '../drafts/draft.ts';
import type { StepProblem } from './step-problem.ts';
import { StoredParams } from '../stored-params.tsx';
import { StepRates } from './step-rates.tsx';
import { StepVersion } from './step-version.tsx';
import type { StepCounts } from './use-preview.ts';

type Props = {
  step: DraftStep;
  index: number;
  count: number;
  operator: Operator | undefined;
  /** Whether any version of the operator is installed. */
  isInstalled: boolean;
  isComplete: boolean;
  isOpen: boolean;
  counts: StepCounts | undefined;
  isStale: boolean;
  problem: StepProblem | undefined;
  onToggle: () => void;
  onMove: (to: number) => void;
  onCopy: () => void;
  onRemove: () => void;
  onParams: (params: Readonly<Record<string, unknown>>) => void;
  onVersion: (operator: Operator) => void;
};

/** One step: its name, a summary of its parameters, its effect on the samples of the preview, and its form. */
export function StepItem(props: Props) {
  const { t, i18n } = useTranslation();
  const { step, index, operator, isOpen, counts, problem } = props;
  const { setNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({ id: step.key });
  const name = operator?.name ?? step.operatorId;
  const fields = fieldsOf(operator?.paramsSchema);
  const modelName = useModelNames();
  const shownValue = (field: Field): string => {
    const text = valueText(field, step.params[field.name], t, i18n.language);
    return field.kind === 'model' ? modelName(text) : text;
  };
  const byKeys = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    props.onMove(event.key === 'ArrowUp' ? index - 1 : index + 1);
  };
  const state =
    operator === undefined || !props.isInstalled
      ? 'unknown'
      : !props.isComplete
        ? 'incomplete'
        : problem === undefined
          ? undefined
          : 'refused';
  return (
    <li
      ref={setNodeRef}
      className="step-item"
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      onKeyDown={byKeys}
    >
      <Group gap={4} wrap="nowrap" align="flex-start">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          {...attributes}
          {...listeners}
          aria-label={t('cleaning.steps.drag', { name })}
          className="grip"
        >
          <IconGripVertical size={15} />
        </ActionIcon>
        <UnstyledButton onClick={props.onToggle} aria-expanded={isOpen} className="step-name">
          <Group gap={4} wrap="nowrap">
            {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
            <Text size="sm" fw={600} className="wraps">
              {index + 1}. {name}
            </Text>
            {operator?.source === 'PUBLISHED' && (
              <Text span size="xs" c="dimmed" className="status">
                {operator.version}
              </Text>
            )}
            {state !== undefined && (
              <Badge size="xs" color="red" variant="light" className="status">
                {t(`cleaning.steps.${state}`)}
              </Badge>
            )}
          </Group>
          {!isOpen && operator === undefined && <StoredParams params={step.params} />}
          {!isOpen && fields.length > 0 && (
            <Text size="xs" c="dimmed" truncate>
              {fields.map((field) => `${field.label}: ${shownValue(field)}`).join(' · ')}
            </Text>
          )}
        </UnstyledButton>
        <StepMenu {...props} name={name} />
      </Group>
      {counts !== undefined && (
        <StepRates counts={counts} isSet={operator?.kind === 'DEDUPLICATOR'} isStale={props.isStale} />
      )}
      <Collapse expanded={isOpen}>
        <div className="step-form">
          {operator?.source === 'PUBLISHED' && isOpen && (
            <StepVersion step={step} operator={operator} onChange={props.onVersion} />
          )}
          <Text size="xs" c="dimmed" mb="xs">
            <InlineCode text={operator?.description ?? ''} />
          </Text>
          {problem !== undefined && problem.field === undefined && (
            <Text size="sm" c="red" role="alert" mb="xs">
              {problem.text}
            </Text>
          )}
          {operator === undefined ? (
            <StoredParams params={step.params} />
          ) : fields.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('cleaning.steps.noParams')}
            </Text>
          ) : (
            <SchemaForm
              fields={fields}
              values={step.params}
              errors={problem?.field === undefined ? {} : { [problem.field]: problem.text }}
              onChange={props.onParams}
              datasetsField={DatasetReferences}
              modelField={ModelField}
            />
          )}
        </div>
      </Collapse>
    </li>
  );
}

type MenuProps = Pick<Props, 'index' | 'count' | 'onMove' | 'onCopy' | 'onRemove'> & { name: string };

function StepMenu({ name, index, count, onMove, onCopy, onRemove }: MenuProps) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('cleaning.steps.actions', { name })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowUp size={15} />} disabled={index === 0} onClick={() => onMove(index - 1)}>
          {t('cleaning.steps.up')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={15} />}
          disabled={index === count - 1}
          onClick={() => onMove(index + 1)}
        >
          {t('cleaning.steps.down')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={15} />} onClick={onCopy}>
          {t('cleaning.steps.copy')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={onRemove}>
          {t('cleaning.steps.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
