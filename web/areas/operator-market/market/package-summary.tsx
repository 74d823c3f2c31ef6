import { Group, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExaminedPackage, OperatorExamination } from '../../../api/schema.ts';
import { localizeCategory } from '../../../messages/operator-texts.ts';
import { Capabilities } from './capabilities.tsx';
import { SignatureBadge } from './signature-badge.tsx';

/** How the market would show an examined package. */
export function PackageSummary({
  found,
  report,
}: {
  found: NonNullable<ExaminedPackage>;
  report: OperatorExamination;
}) {
  const { t, i18n } = useTranslation();
  return (
    <section className="panel" aria-label={found.name}>
      <Group gap="xs" mb={4}>
        <Title order={2} size="h5">
          {found.name}
        </Title>
        <Text span size="sm" ff="monospace" c="dimmed">
          {found.id} {found.version}
        </Text>
        {report.metrics !== null && <SignatureBadge signature={report.signature} />}
      </Group>
      <Text size="sm" mb="xs" className="wraps">
        {found.description}
      </Text>
      <dl className="facts-list">
        <dt>{t('market.package.author')}</dt>
        <dd>{found.author}</dd>
        <dt>{t('market.package.licence')}</dt>
        <dd>{found.licence}</dd>
        <dt>{t('operators.columns.kind')}</dt>
        <dd>{t(`operators.kinds.${found.kind}`)}</dd>
        <dt>{t('operators.columns.categories')}</dt>
        <dd>{found.categories.map((category) => localizeCategory(category, i18n.language)).join(', ')}</dd>
        {found.changes !== null && (
          <>
            <dt>{t('market.versions.changes')}</dt>
            <dd className="keeps-lines">{found.changes}</dd>
          </>
        )}
        <dt>{t('market.capabilities.title')}</dt>
        <dd>
          <Capabilities asked={found} />
        </dd>
      </dl>
    </section>
  );
}
