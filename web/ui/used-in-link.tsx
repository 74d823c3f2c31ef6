import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** Links from a tool to the lineage graph of what was made with it. */
export function UsedInLink({ kind, id }: { kind: 'OPERATOR' | 'MODEL' | 'KNOWLEDGE_BASE'; id: string }) {
  const { t } = useTranslation();
  return (
    <Anchor component={Link} to={`/lineage?kind=${kind}&id=${encodeURIComponent(id)}`} size="sm">
      {t('common.usedIn')}
    </Anchor>
  );
}
