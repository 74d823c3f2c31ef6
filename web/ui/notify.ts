import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { ApiError } from '../api/errors.ts';
import { adviceOf, messageOf } from './error-panel.tsx';

/** Confirms an action. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', closeButtonProps: closeButton() });
}

/** Shows why an action failed, until it is closed. */
export function notifyError(error: unknown): void {
  const { t } = i18next;
  const lines = [messageOf(error, t), adviceOf(error, t)];
  if (error instanceof ApiError && error.requestId !== undefined)
    lines.push(`${t('common.errors.requestId')}: ${error.requestId}`);
  notifications.show({
    title: t('common.errors.title'),
    message: lines.filter((line) => line !== undefined).join('\n'),
    color: 'red',
    autoClose: false,
    closeButtonProps: closeButton(),
    styles: { description: { whiteSpace: 'pre-line' } },
  });
}

function closeButton(): { 'aria-label': string } {
  return { 'aria-label': i18next.t('common.actions.close') };
}
