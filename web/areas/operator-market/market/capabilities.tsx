import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import { IconLock, IconRobot, IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

type Asked = { capabilities: readonly string[]; models: readonly string[] };

/** In words: what an operator may do beyond reading its input. */
export function Capabilities({ asked, isApproved }: { asked: Asked; isApproved?: boolean }) {
  const { t } = useTranslation();
  const { capabilities, models } = asked;
  if (capabilities.length === 0)
    return (
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <IconLock size={18} aria-hidden className="dimmed-icon" />
        <div>
          <Text size="sm" fw={600}>
            {t('market.capabilities.none')}
          </Text>
          <Text size="xs" c="dimmed">
            {t('market.capabilities.noneMeans')}
          </Text>
        </div>
      </Group>
    );
  return (
    <Stack gap="xs">
      {capabilities.map((capability) => (
        <Group key={capability} gap="xs" wrap="nowrap" align="flex-start">
          <IconRobot size={18} aria-hidden className="dimmed-icon" />
          <div>
            <Text size="sm" fw={600}>
              {capability === 'models' ? t('market.capabilities.models') : capability}
            </Text>
            {capability === 'models' && (
              <>
                <Text size="xs" c="dimmed">
                  {t('market.capabilities.modelsMeans')}
                </Text>
                <Group gap={4} mt={4}>
                  {models.map((model) => (
                    <Badge key={model} size="sm" variant="outline" color="gray" className="status">
                      {model}
                    </Badge>
                  ))}
                </Group>
              </>
            )}
          </div>
        </Group>
      ))}
      {isApproved !== undefined && (
        <Alert color={isApproved ? 'green' : 'orange'} icon={<IconShieldCheck size={18} />} p="xs">
          {t(isApproved ? 'market.capabilities.approved' : 'market.capabilities.notApproved')}
        </Alert>
      )}
    </Stack>
  );
}
