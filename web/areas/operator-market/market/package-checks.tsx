import { Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OperatorExamination, OperatorPackageCheck } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { TextDiff } from '../../../ui/text-diff.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { FactsShort } from './measured-facts.tsx';

const looks = {
  PASSED: { icon: IconCircleCheck, color: 'var(--mantine-color-green-text)' },
  REFUSED: { icon: IconCircleX, color: 'var(--mantine-color-red-text)' },
  NOT_REACHED: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)' },
} as const;

/** The checks of a package in order; a failed one with its cause and what to do. */
export function PackageChecks({ report }: { report: OperatorExamination }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('market.publish.checks')}>
      <Stack gap="sm" component="ol" className="plain-order">
        {report.checks.map((check) => (
          <Check key={check.check} check={check} report={report} />
        ))}
      </Stack>
    </Panel>
  );
}

function Check({ check, report }: { check: OperatorPackageCheck; report: OperatorExamination }) {
  const { t } = useTranslation();
  const say = useSay();
  const { icon: Icon, color } = looks[check.state];
  return (
    <li data-state={check.state}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Icon size={20} color={color} aria-label={t(`market.publish.states.${check.state}`)} className="starts" />
        <div className="grows">
          <Text size="sm" fw={600} c={check.state === 'NOT_REACHED' ? 'dimmed' : undefined}>
            {t(`market.publish.names.${check.check}`)}
          </Text>
          {check.state === 'PASSED' && (
            <Text size="xs" c="dimmed" component="div" className="wraps">
              <Passed check={check} report={report} />
            </Text>
          )}
          {check.state === 'REFUSED' && (
            <>
              <Text size="sm" role="alert" className="wraps keeps-lines">
                {say(check, 'problem')}
              </Text>
              <Difference check={check} />
              <Text size="xs" c="dimmed" mt={4}>
                {t(`market.publish.advice.${check.check}`)}
              </Text>
            </>
          )}
          {check.state === 'NOT_REACHED' && (
            <Text size="xs" c="dimmed">
              {t('market.publish.notReached')}
            </Text>
          )}
        </div>
      </Group>
    </li>
  );
}

function Passed({ check, report }: { check: OperatorPackageCheck; report: OperatorExamination }) {
  const { t } = useTranslation();
  const found = report.package;
  switch (check.check) {
    case 'MANIFEST':
      return found === null ? t('market.publish.passed.MANIFEST') : `${found.id} ${found.version}`;
    case 'FILES':
      return found === null
        ? t('market.publish.passed.FILES')
        : t('market.publish.passed.digest', { digest: found.digest });
    case 'SIGNATURE':
      return report.signature === null
        ? t('market.publish.passed.unsigned')
        : report.signature.verified
          ? t('market.signature.verified', { name: report.signature.publisher ?? '' })
          : t('market.signature.unknownHelp');
    case 'NUMBER':
      return report.latestVersion === null
        ? t('market.publish.passed.first')
        : t('market.publish.passed.next', { version: report.latestVersion });
    case 'EXAMPLES':
      return t('market.publish.passed.EXAMPLES', { count: found?.examples ?? 0 });
    case 'FACTS':
      return report.metrics === null ? null : <FactsShort metrics={report.metrics} />;
    case 'ARCHIVE':
      return t('market.publish.passed.ARCHIVE');
  }
}

/** The expected and the actual output of an example. */
function Difference({ check }: { check: OperatorPackageCheck }) {
  const { t } = useTranslation();
  if (check.problemCode !== 'EXAMPLE_DIFFERS') return null;
  const { got, expected } = (check.problemParams ?? {}) as Record<string, unknown>;
  if (typeof got !== 'string' || typeof expected !== 'string') return null;
  return (
    <div className="example">
      <Text size="xs" c="dimmed">
        {t('market.publish.difference')}
      </Text>
      <TextDiff before={expected} after={got} />
    </div>
  );
}
