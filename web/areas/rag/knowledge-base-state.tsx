import { Badge, Group } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconLoader,
  IconSwitchHorizontal,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { countUnderWay } from './rag-queries.ts';

/** What a knowledge base is doing, and how many of its documents failed. */
export function BaseState({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const underWay = countUnderWay(base);
  const failed = base.documentsByStatus.FAILED ?? 0;
  const [color, Icon, words] =
    underWay > 0
      ? ([
          'blue',
          IconLoader,
          t('knowledge.state.processing', { count: underWay, documents: formatCount(underWay, locale) }),
        ] as const)
      : base.rebuild?.status === 'READY'
        ? (['blue', IconSwitchHorizontal, t('knowledge.state.newIndexReady')] as const)
        : base.rebuild?.status === 'FAILED'
          ? (['orange', IconAlertTriangle, t('knowledge.state.newIndexFailed')] as const)
          : base.status === 'BUILDING'
            ? ([
                'blue',
                IconLoader,
                t(base.rebuild === null ? 'knowledge.state.indexRebuilding' : 'knowledge.state.building'),
              ] as const)
            : base.documentCount === 0
              ? (['gray', IconCircleDashed, t('knowledge.state.empty')] as const)
              : (['green', IconCircleCheck, t('knowledge.state.ready')] as const);
  return (
    <Group gap={6}>
      <Badge variant="light" color={color} leftSection={<Icon size={12} />} className="status">
        {words}
      </Badge>
      {failed > 0 && (
        <Badge variant="light" color="orange" leftSection={<IconAlertTriangle size={12} />} className="status">
          {t('knowledge.state.failed', { count: failed, documents: formatCount(failed, locale) })}
        </Badge>
      )}
    </Group>
  );
}
