import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { session } from '../api/session.ts';
import { meQuery } from '../session/session-queries.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { addressOf } from '../api/path-prefix.ts';

/** The dialog that asks for the password of the user whose session has ended. */
export function SignInAgain() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const me = queryClient.getQueryData(meQuery.queryKey);
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('auth.expired.title')}
    >
      <Stack gap="md">
        <Text size="sm">{t('auth.expired.lead')}</Text>
        <SignInForm
          username={me?.username}
          onDone={async () => {
            session.renewed();
            await queryClient.invalidateQueries();
          }}
        />
        <Button variant="subtle" color="gray" size="xs" onClick={() => location.assign(addressOf('/sign-in'))}>
          {t('auth.expired.other')}
        </Button>
      </Stack>
    </Modal>
  );
}
