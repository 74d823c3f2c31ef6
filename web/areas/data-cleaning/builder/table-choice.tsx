import { Button, Group, TagsInput, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconPencil, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import { isUnclear, type TableGroup } from './source-tables.ts';

type Props = {
  group: TableGroup;
  /** The columns chosen for exactly these tables. */
  chosen: readonly string[] | undefined;
  onChoose: (fields: readonly string[]) => void;
  onLeaveOut: (isOut: boolean) => void;
};

/** A table, or several alike, with the columns that hold its text, detected or chosen. */
export function TableChoice({ group, chosen, onChoose, onLeaveOut }: Props) {
  const { t } = useTranslation();
  const say = useSay();
  const { label, tables, columns, fields, isExcluded, isEmpty, problem } = group;
  const needsChoice = isUnclear(group) && chosen === undefined;
  const examples = new Map(columns.map(({ name, example }) => [name, example]));
  const shown = chosen ?? fields ?? [];
  const names = shown.join(', ');
  const missing = shown.filter((name) => columns.length > 0 && !examples.has(name));
  // A choice that the user still has to make stays open.
  const [isOpen, setOpen] = useState(needsChoice);
  const canChoose = !isExcluded && !isEmpty && problem === null;
  const example = shown.map((name) => examples.get(name)).find((text) => text !== null && text !== undefined);
  return (
    <li className="table-choice" data-needs={needsChoice || undefined} data-missing={missing.length > 0 || undefined}>
      <Group gap={6} wrap="nowrap" justify="space-between">
        <Group gap={6} wrap="nowrap" className="table-choice-name">
          {needsChoice ? (
            <IconAlertTriangle size={15} className="warns keeps-width" aria-hidden />
          ) : (
            <IconTable size={15} className="keeps-width" aria-hidden />
          )}
          <Text size="sm" className="wraps" td={isExcluded ? 'line-through' : undefined}>
            {label}
          </Text>
          {tables.length > 1 && (
            <Text size="xs" c="dimmed" className="figure">
              {t('cleaning.source.count', { count: tables.length })}
            </Text>
          )}
        </Group>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          className="keeps-width"
          aria-label={t(isExcluded ? 'cleaning.source.takeNamed' : 'cleaning.source.leaveNamed', { name: label })}
          onClick={() => onLeaveOut(!isExcluded)}
        >
          {t(isExcluded ? 'cleaning.source.take' : 'cleaning.source.leave')}
        </Button>
      </Group>
      {problem !== null && (
        <Text size="xs" c="orange">
          {say(problem, 'problem')}
        </Text>
      )}
      {isEmpty && !isExcluded && (
        <Text size="xs" c="dimmed">
          {t('cleaning.source.empty')}
        </Text>
      )}
      {canChoose && !isOpen && (
        <UnstyledButton className="table-column" onClick={() => setOpen(true)}>
          <span className="sr-only">{t('cleaning.source.change', { name: label })}</span>
          <Text size="xs" fw={600} className="wraps">
            {chosen === undefined ? t('cleaning.source.detected', { columns: names }) : names}
          </Text>
          <Text size="xs" c="dimmed" truncate data-verbatim>
            {example}
          </Text>
          <IconPencil size={13} className="keeps-width" aria-hidden />
        </UnstyledButton>
      )}
      {canChoose && isOpen && (
        <TagsInput
          size="xs"
          mt={4}
          aria-label={t('cleaning.source.columnOf', { name: label })}
          placeholder={
            chosen !== undefined
              ? t('cleaning.source.more')
              : shown.length > 0
                ? t('cleaning.source.detected', { columns: names })
                : t('cleaning.source.choose')
          }
          data={columns.map(({ name }) => name)}
          value={[...(chosen ?? [])]}
          splitChars={[]}
          error={
            needsChoice
              ? t(columns.length === 0 ? 'cleaning.source.noColumn' : 'cleaning.source.severalColumns', {
                  count: columns.length,
                })
              : undefined
          }
          renderOption={({ option }) => (
            <div>
              <Text size="sm" className="wraps">
                {option.value}
              </Text>
              <Text size="xs" c="dimmed" lineClamp={1} data-verbatim>
                {examples.get(option.value)}
              </Text>
            </div>
          )}
          onChange={onChoose}
        />
      )}
      {canChoose && missing.length > 0 && (
        <Text size="xs" c="orange">
          {t('cleaning.source.missing', { columns: missing.join(', ') })}
        </Text>
      )}
    </li>
  );
}
