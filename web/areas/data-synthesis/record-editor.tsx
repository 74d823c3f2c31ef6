import { Button, Group, Kbd, Stack, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { problemsOf, useDraft, type Checks } from '../../ui/draft.ts';

type Texts = Readonly<Record<string, string>>;

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
  const checks: Checks<Texts> = Object.fromEntries(
    fields
      .filter(([, value]) => typeof value !== 'string')
      .map(([name]) => [name, (texts: Texts) => (isJson(texts[name]) ? undefined : t('common.form.problem.json'))]),
  );
  const draft = useDraft<Texts>(
    () =>
      Object.fromEntries(
        fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)]),
      ),
    { checks },
  );
  // Shown while JSON is typed, not only when it is saved.
  const problems = problemsOf(draft.values, checks);
  const submit = draft.submit((texts) => {
    if (isBusy) return;
    const values = fields.map(([name, value]) => {
      const text = texts[name] ?? '';
      return [name, typeof value === 'string' ? text : (JSON.parse(text) as unknown)] as const;
    });
    onSave(Object.fromEntries(values));
  });
  const keys = getHotkeyHandler([
    ['mod+Enter', submit],
    [
      'Escape',
      (event) => {
        event.stopPropagation();
        onCancel();
      },
    ],
  ]);
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {fields.map(([name], index) => (
          <Textarea
            key={name}
            label={name}
            {...draft.text(name)}
            error={problems[name]}
            autosize
            minRows={1}
            maxRows={16}
            data-autofocus={index === 0 || undefined}
            autoFocus={index === 0}
            onKeyDown={keys}
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
            disabled={Object.keys(problems).length > 0}
            rightSection={<Kbd size="xs">Ctrl Enter</Kbd>}
          >
            {t('common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function isJson(text = ''): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
