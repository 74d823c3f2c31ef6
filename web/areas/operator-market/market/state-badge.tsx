import { Badge } from '@mantine/core';
import { IconBan, IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';

/** Whether tasks can use an operator; renders nothing if it is only offered. */
export function StateBadge({ operator }: { operator: Pick<Operator, 'installed' | 'status'> }) {
  const { t } = useTranslation();
  if (operator.status === 'DISABLED')
    return (
      <Badge variant="light" color="red" leftSection={<IconBan size={12} />} className="status">
        {t('market.states.disabled')}
      </Badge>
    );
  if (!operator.installed) return null;
  return (
    <Badge variant="light" color="green" leftSection={<IconCheck size={12} />} className="status">
      {t('market.states.installed')}
    </Badge>
  );
}
