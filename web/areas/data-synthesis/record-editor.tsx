import { Button, Group, Kbd, Stack, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

type Props = {
  output: Readonly<Record<string, unknown>>;
  isBusy: boolean;
  onSave: (output: Record<string, unknown>) => void;
  onCancel: () => void;
};

/** Edits the fields of a record: texts as text, anything else as JSON. The service validates the result. */
export function RecordEditor({ output, isBusy, onSave, onCancel }: Props) {
  const { t } = useTranslation();
  const fields = Object.entries(output);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)]),
    ),
  );
  const read = fields.map(([name, value]) => [name, valueOf(texts[name] ?? '', typeof value === 'string')] as const);
  const broken = new Set(read.filter(([, value]) => value === undefined).map(([name]) => name));
  const save = (): void => {
    if (broken.size === 0 && !isBusy) onSave(Object.fromEntries(read.map(([name, value]) => [name, value?.value])));
  };
  const keys = getHotkeyHandler([
    ['mod+Enter', save],
    [
      'Escape',
      (event) => {
        event.stopPropagation();
        onCancel();
      },
    ],
  ]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="xs">
        {fields.map(([name], index) => (
          <Textarea
            key={name}
            label={name}
            value={texts[name] ?? ''}
            autosize
            minRows={1}
            maxRows={16}
            data-autofocus={index === 0 || undefined}
            autoFocus={index === 0}
            error={broken.has(name) ? t('common.form.problem.json') : undefined}
            onKeyDown={keys}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setTexts((old) => ({ ...old, [name]: text }));
            }}
          />
        ))}
        <Group gap="xs" justify="flex-end">
          <Button variant="default" size="compact-sm" rightSection={<Kbd size="xs">Esc</Kbd>} onClick={onCancel}>
            {t('common.actions.cancel')}
          </Button>
          <Button
            type="submit"
            size="compact-sm"
            loading={isBusy}
            disabled={broken.size > 0}
            rightSection={<Kbd size="xs">Ctrl Enter</Kbd>}
          >
            {t('common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function valueOf(text: string, isText: boolean): { value: unknown } | undefined {
  if (isText) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
