import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/errors.ts';
import { useDraft } from '../ui/draft.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { signIn } from './session-queries.ts';

/** User name and password; `username` is fixed when the same person signs in again. */
export function SignInForm(props: { username?: string; onDone: () => void | Promise<void> }) {
  const { t } = useTranslation();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const draft = useDraft(
    { username: props.username ?? '', password: '' },
    {
      checks: {
        username: ({ username }) => (username.trim() === '' ? t('auth.signIn.required') : undefined),
        password: ({ password }) => (password === '' ? t('auth.signIn.required') : undefined),
      },
    },
  );

  const send = async ({ username, password }: typeof draft.values): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await signIn({ username: username.trim(), password });
      await props.onDone();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={draft.submit((values) => void send(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label={t('auth.signIn.username')}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          data-autofocus={props.username === undefined || undefined}
          autoFocus={props.username === undefined}
          readOnly={props.username !== undefined}
          {...draft.text('username')}
        />
        <PasswordInput
          label={t('auth.signIn.password')}
          name="password"
          autoComplete="current-password"
          autoFocus={props.username !== undefined}
          {...draft.text('password')}
        />
        {error !== undefined && <SignInError error={error} />}
        <Button type="submit" loading={busy} fullWidth>
          {t('auth.signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}

function SignInError({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (error instanceof ApiError && error.status === 401)
    return (
      <Alert color="red" role="alert">
        {t('auth.signIn.wrong')}
      </Alert>
    );
  if (error instanceof ApiError && error.status === 429)
    return (
      <Alert color="red" role="alert">
        {t('auth.signIn.throttled', { minutes: Math.ceil((error.retryAfterSeconds ?? 60) / 60) })}
      </Alert>
    );
  return <ErrorPanel error={error} />;
}
