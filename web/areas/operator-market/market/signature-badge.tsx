import { Badge } from '@mantine/core';
import { IconShieldCheck, IconShieldOff, IconShieldQuestion } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OperatorSignature } from '../../../api/schema.ts';

/** Whether a version is signed, and whether its publisher is known here. */
export function SignatureBadge({ signature }: { signature: OperatorSignature | null }) {
  const { t } = useTranslation();
  const [color, Icon, key] =
    signature === null
      ? (['gray', IconShieldOff, 'none'] as const)
      : signature.verified
        ? (['green', IconShieldCheck, 'verified'] as const)
        : (['orange', IconShieldQuestion, 'unknown'] as const);
  return (
    <Badge
      variant="light"
      color={color}
      leftSection={<Icon size={12} />}
      className="status"
      title={t(`market.signature.${key}Help`)}
    >
      {t(`market.signature.${key}`, { name: signature?.publisher ?? '' })}
    </Badge>
  );
}
