import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from './error-panel.tsx';

/** Asks for confirmation before an action; says what will happen and shows the service's message if it refuses. */
export function ConfirmDialog(props: {
  opened: boolean;
  title: string;
  children: ReactNode;
  /** The action as the button's text: `Delete 12 files`. */
  action: string;
  /** Color of the button; default: red, for deletions. */
  color?: string;
  /** Disables the action until a required input is filled in. */
  disabled?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const close = (): void => {
    setState({ busy: false });
    props.onClose();
  };
  const confirm = async (): Promise<void> => {
    setState({ busy: true });
    try {
      await props.onConfirm();
      close();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <Modal
      opened={props.opened}
      onClose={close}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <Stack gap="md">
        <Text size="sm" component="div">
          {props.children}
        </Text>
        {state.error !== undefined && <ErrorPanel error={state.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t('common.actions.cancel')}
          </Button>
          <Button
            color={props.color ?? 'red.9'}
            loading={state.busy}
            disabled={props.disabled}
            onClick={() => void confirm()}
          >
            {props.action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
