import { Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { localizeCategory } from '../../../messages/operator-texts.ts';
import { FactsShort } from './measured-facts.tsx';
import { OperatorIcon } from './operator-icon.tsx';
import { RatingShort } from './ratings.tsx';
import { SignatureBadge } from './signature-badge.tsx';
import { StateBadge } from './state-badge.tsx';

/** A published operator in the market's list; the whole card opens its page. */
export function OperatorCard({ operator }: { operator: Operator }) {
  const { t, i18n } = useTranslation();
  const { id, name, version, description, author, icon, rating, usageCount, metrics, signature } = operator;
  return (
    <article className="panel operator-card">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <OperatorIcon icon={icon} />
        <div className="grows">
          <Link to="/market/operators/$operatorId" params={{ operatorId: id }} className="plain-link card-link">
            <Text span fw={600} size="sm" className="wraps">
              {name}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" className="wraps">
            {version} · {author}
          </Text>
        </div>
        <StateBadge operator={operator} />
      </Group>
      <Text size="sm" lineClamp={3} className="wraps">
        {description}
      </Text>
      <Group gap={6}>
        <Badge size="sm" variant="light" className="status">
          {t(`operators.kinds.${operator.kind}`)}
        </Badge>
        {operator.categories.map((category) => (
          <Badge key={category} size="sm" variant="light" color="gray" className="status">
            {localizeCategory(category, i18n.language)}
          </Badge>
        ))}
      </Group>
      <Group gap="sm" className="card-foot">
        <RatingShort rating={rating} />
        <Text span size="xs" c="dimmed" className="figure">
          {t('market.usedBy', { count: usageCount })}
        </Text>
        {metrics !== null && <FactsShort metrics={metrics} />}
        <SignatureBadge signature={signature} />
      </Group>
    </article>
  );
}
