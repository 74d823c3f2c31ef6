import { Button, Center, Container } from '@mantine/core';
import { IconBug, IconMapQuestion } from '@tabler/icons-react';
import { Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, OfflineError } from '../api/errors.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <Center py="xl">
      <EmptyState
        icon={IconMapQuestion}
        title={t('common.errors.pageNotFound')}
        lead={t('common.errors.pageNotFoundHint')}
        action={
          <Button component={Link} to="/">
            {t('common.errors.toHome')}
          </Button>
        }
      />
    </Center>
  );
}

/** Shown in place of a page that failed: the service's error message, or that the fault is in the application. */
export function CrashPage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const router = useRouter();
  if (error instanceof ApiError || error instanceof OfflineError) {
    return (
      <Container size="sm" py="xl">
        <ErrorPanel error={error} onRetry={() => void router.invalidate()} />
      </Container>
    );
  }
  return (
    <Center py="xl">
      <EmptyState
        icon={IconBug}
        title={t('common.errors.crashed')}
        lead={
          <>
            {t('common.errors.crashedHint')}
            <br />
            <code>{error instanceof Error ? error.message : String(error)}</code>
          </>
        }
        action={<Button onClick={() => location.reload()}>{t('common.actions.reload')}</Button>}
      />
    </Center>
  );
}
