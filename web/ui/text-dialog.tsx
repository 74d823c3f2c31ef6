import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDraft } from './draft.ts';
import { ErrorPanel } from './error-panel.tsx';

/** Asks for one text. Enter submits, Escape closes; after a refusal the text stays. */
export function TextDialog(props: {
  title: string;
  label: string;
  help: string;
  initial: string;
  action: string;
  onSubmit: (value: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const draft = useDraft({ text: props.initial });
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const text = draft.values.text.trim();
  const submit = async (): Promise<void> => {
    if (text === '' || state.busy) return;
    setState({ busy: true });
    try {
      await props.onSubmit(text);
      props.onClose();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(() => void submit())}>
        <Stack gap="sm">
          <TextInput label={props.label} description={props.help} data-autofocus {...draft.text('text')} />
          {state.error !== undefined && <ErrorPanel error={state.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={state.busy} disabled={text === ''}>
              {props.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
