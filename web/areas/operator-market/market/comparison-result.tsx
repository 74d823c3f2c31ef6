import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconArrowRight, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ComparedSample, OperatorComparison, OperatorOutcome } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { VerdictBadge } from '../../../runs/verdict-badge.tsx';
import { Count } from '../../../ui/figures.tsx';
import { Stat } from '../../../ui/stat.tsx';
import { TextDiff } from '../../../ui/text-diff.tsx';
import { Panel } from '../../../ui/panel.tsx';

type Props = { comparison: OperatorComparison; from: string; to: string };

/** How many samples change between two versions, and each of them with its marks. */
export function ComparisonResult({ comparison, from, to }: Props) {
  const { t } = useTranslation();
  const { compared, same, unreadable, verdictChanged, textChanged, comparedInPart, samples } = comparison;
  const changed = verdictChanged + textChanged;
  return (
    <Stack gap="sm" role="status" aria-label={t('market.compare.result')}>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Stat label={t('market.compare.compared')}>
          <Count value={compared} />
        </Stat>
        <Stat label={t('market.compare.same')}>
          <Count value={same} />
        </Stat>
        <Stat label={t('market.compare.verdictChanged')}>
          <Count value={verdictChanged} />
        </Stat>
        <Stat label={t('market.compare.textChanged')}>
          <Count value={textChanged} />
        </Stat>
        {unreadable > 0 && (
          <Stat label={t('market.compare.unreadable')}>
            <Count value={unreadable} />
          </Stat>
        )}
      </SimpleGrid>
      {compared === unreadable ? (
        <Alert color="orange">{t('market.compare.noSamples')}</Alert>
      ) : changed === 0 ? (
        <Alert color="green" icon={<IconCircleCheck size={18} />}>
          {t('market.compare.nothingChanges', { count: same })}
        </Alert>
      ) : (
        <Panel title={t('market.compare.changes')}>
          <Stack gap="sm" component="ol" className="plain-order">
            {samples.map((sample) => (
              <Changed key={`${sample.filePath} ${sample.row ?? ''}`} sample={sample} from={from} to={to} />
            ))}
          </Stack>
          {samples.length < changed && (
            <Text size="xs" c="dimmed" mt="xs">
              {t('market.compare.more', { count: changed - samples.length })}
            </Text>
          )}
        </Panel>
      )}
      {comparedInPart > 0 && (
        <Text size="xs" c="dimmed">
          {t('market.compare.inPart', { count: comparedInPart })}
        </Text>
      )}
    </Stack>
  );
}

function Changed({ sample, from, to }: { sample: ComparedSample; from: string; to: string }) {
  const { t } = useTranslation();
  const say = useSay();
  const { filePath, row } = sample;
  const reasonOf = (outcome: OperatorOutcome, version: string) =>
    outcome.reason !== null && (
      <Text size="xs" className="wraps">
        {version}: {say(outcome, 'reason')}
      </Text>
    );
  return (
    <li className="example">
      <Group gap="xs" mb={4}>
        <Text span size="xs" ff="monospace" className="wraps">
          {row === null ? filePath : t('market.compare.place', { path: filePath, row })}
        </Text>
        {sample.from.verdict === sample.to.verdict ? (
          <Text span size="xs" c="dimmed">
            {t('market.compare.otherText')}
          </Text>
        ) : (
          <>
            <Text span size="xs" c="dimmed">
              {from}
            </Text>
            <VerdictBadge verdict={sample.from.verdict} />
            <IconArrowRight size={14} aria-label={t('market.compare.becomes')} />
            <Text span size="xs" c="dimmed">
              {to}
            </Text>
            <VerdictBadge verdict={sample.to.verdict} />
          </>
        )}
      </Group>
      {reasonOf(sample.from, from)}
      {reasonOf(sample.to, to)}
      <TextDiff before={sample.from.texts.join('\n')} after={sample.to.texts.join('\n')} />
    </li>
  );
}
