import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload, IconListSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/path-prefix.ts';
import type { Run } from '../api/schema.ts';
import { Count, useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { useSay } from '../messages/sentences.ts';
import { groupFailures } from './failure-groups.ts';
import type { Inputs, RunArea } from './run-area.ts';

const shownAtFirst = 5;

/** Failed inputs of an ended run by reason, each linked to its samples, and the file of those that were set aside. */
export function RunFailures(props: {
  area: RunArea;
  run: Run;
  /** What the area calls its inputs. */
  inputs?: Inputs;
  /** What happened to the failed inputs. */
  explanation: string;
  /** Whether the area searches for them by reason code instead of its words. */
  byCode?: boolean;
  /** Whether their original bytes can be downloaded. */
  hasFile: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const [isOpen, setOpen] = useState(false);
  const { area, run, inputs = 'samples' } = props;
  const { failed } = run.counts;
  const samples = `${area.path}/${run.taskId}/runs/${run.id}/samples`;
  const groups = groupFailures(run.failures, (failure) => say(failure, 'reason'));
  const reasons = isOpen ? groups : groups.slice(0, shownAtFirst);
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle size={18} />}
      title={t(`runs.failures.${inputs}.title`, {
        count: failed,
        failed: formatCount(failed, locale),
        all: formatCount(run.counts.in, locale),
      })}
    >
      <Stack gap="xs">
        <Text size="sm">{props.explanation}</Text>
        <ul className="failure-reasons" aria-label={t(`runs.failures.${inputs}.byReason`)}>
          {reasons.map(({ key, count, shown, search, code }) => (
            <li key={key}>
              <Text span size="sm" fw={600} className="figure">
                <Count value={count} />
              </Text>
              <Anchor
                component={Link}
                size="sm"
                underline="always"
                className="wraps"
                to={samples}
                search={filterOf(props.byCode === true ? { reasonCode: code } : { search }) as never}
              >
                {shown}
              </Anchor>
            </li>
          ))}
        </ul>
        {groups.length > reasons.length && (
          <Button size="compact-sm" variant="subtle" w="fit-content" onClick={() => setOpen(true)}>
            {t('runs.failures.more', { count: groups.length - reasons.length })}
          </Button>
        )}
        <Group gap="xs">
          <Link to={samples} search={{ verdict: 'FAILED' }} className="button-link">
            <Button component="span" size="xs" variant="default" leftSection={<IconListSearch size={14} />}>
              {t(`runs.failures.${inputs}.show`)}
            </Button>
          </Link>
          {props.hasFile && (
            <Button
              component="a"
              size="xs"
              variant="default"
              href={addressOf(
                `/api/v1/${area.prefix}/tasks/${encodeURIComponent(run.taskId)}/runs/${encodeURIComponent(run.id)}/failed`,
              )}
              leftSection={<IconDownload size={14} />}
            >
              {t('runs.failures.download')}
            </Button>
          )}
          {props.children}
        </Group>
      </Stack>
    </Alert>
  );
}

function filterOf(by: { reasonCode: string | null } | { search: string }): Record<string, unknown> {
  const [found] = Object.values(by);
  return found === null || found === '' ? { verdict: 'FAILED' } : { verdict: 'FAILED', ...by };
}
