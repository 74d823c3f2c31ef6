import { Anchor, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Operator, OperatorVersion } from '../../../api/schema.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { Ago, Bytes } from '../../../ui/figures.tsx';
import { FactsShort } from './measured-facts.tsx';
import { SignatureBadge } from './signature-badge.tsx';

/** All versions, the newest first: what is new in each, its digest and its measured facts. */
export function PackageVersions({
  operator,
  versions,
}: {
  operator: Operator;
  versions: readonly OperatorVersion[] | undefined;
}) {
  const { t } = useTranslation();
  if (versions === undefined) return <Skeleton height={160} />;
  const installed = versions.find((one) => one.installed)?.version;
  return (
    <Stack gap="sm" component="ol" className="plain-order" aria-label={t('market.tabs.versions')}>
      {versions.map((one) => (
        <li key={one.version} className="panel">
          <Group gap="xs" mb={4}>
            <Link
              to="/market/operators/$operatorId"
              params={{ operatorId: operator.id }}
              search={{ version: one.version }}
              className="plain-link"
            >
              <Text span fw={600} size="sm">
                {one.version}
              </Text>
            </Link>
            {one.installed && (
              <Badge variant="light" color="green" className="status">
                {t('market.states.installed')}
              </Badge>
            )}
            {one.version === operator.version && (
              <Badge variant="outline" color="gray" className="status">
                {t('market.states.shown')}
              </Badge>
            )}
            {one.capabilities.length > 0 && (
              <Badge variant="light" color={one.status === 'APPROVED' ? 'green' : 'orange'} className="status">
                {t(one.status === 'APPROVED' ? 'market.states.approved' : 'market.states.notApproved')}
              </Badge>
            )}
            <SignatureBadge signature={one.signature} />
          </Group>
          <Text size="sm" className="keeps-lines wraps">
            {one.changes ?? t('market.versions.noChanges')}
          </Text>
          <Group gap="md" mt={4}>
            <Text span size="xs" c="dimmed">
              <Ago time={one.createdAt} /> · {one.createdBy} · <Bytes value={one.sizeBytes} />
            </Text>
            {one.metrics !== null && <FactsShort metrics={one.metrics} />}
            {installed !== undefined && installed !== one.version && (
              <Anchor
                size="xs"
                renderRoot={(others) => (
                  <Link
                    {...others}
                    to="/market/operators/$operatorId/compare"
                    params={{ operatorId: operator.id }}
                    search={{ from: installed, to: one.version }}
                  />
                )}
              >
                {t('market.compare.with', { version: installed })}
              </Anchor>
            )}
          </Group>
          <Copyable value={one.digest} />
        </li>
      ))}
    </Stack>
  );
}
