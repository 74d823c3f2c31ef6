import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import i18next, { type TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError, OfflineError } from '../api/errors.ts';
import { saySentence } from '../messages/sentences.ts';
import { isOutdated } from './outdated.ts';

/** What went wrong, what to do about it, and the request id for the log. */
export function ErrorPanel({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const { t } = useTranslation();
  const offline = error instanceof OfflineError;
  return (
    <Alert
      role="alert"
      color="red"
      icon={offline ? <IconPlugConnectedX /> : <IconAlertTriangle />}
      title={title ?? t('common.errors.title')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error, t)}</Text>
        {adviceOf(error, t) !== undefined && (
          <Text size="sm" c="dimmed">
            {adviceOf(error, t)}
          </Text>
        )}
        {error instanceof ApiError && error.requestId !== undefined && <RequestId id={error.requestId} />}
        {onRetry !== undefined && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {t('common.actions.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function RequestId({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <Group gap={6} title={t('common.errors.requestIdHint')}>
      <Text size="xs" c="dimmed">
        {t('common.errors.requestId')}
      </Text>
      <Code>{id}</Code>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={copy}>
            {copied ? t('common.actions.copied') : t('common.actions.copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** The service's message, or ours if there is none. */
export function messageOf(error: unknown, t: TFunction): string {
  if (error instanceof OfflineError) return t('common.errors.offline');
  if (error instanceof ApiError && error.sentence !== undefined)
    return saySentence(error.sentence, error.message, i18next.language);
  return error instanceof Error ? error.message : String(error);
}

/** What the user can do. */
export function adviceOf(error: unknown, t: TFunction): string | undefined {
  if (error instanceof OfflineError) return t('common.errors.offlineHint');
  if (!(error instanceof ApiError)) return undefined;
  switch (error.status) {
    case 403:
      return t('common.errors.forbidden');
    case 404:
      return t('common.errors.notFound');
    case 409:
      return isOutdated(error) ? t('common.errors.conflict') : undefined;
    case 429:
      return t('common.errors.rateLimited', { seconds: error.retryAfterSeconds ?? 60 });
    case 507:
      return t('common.errors.storageFull');
    default:
      return error.status >= 500 ? t('common.errors.unexpected') : undefined;
  }
}
