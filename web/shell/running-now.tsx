import { ActionIcon, Indicator, Popover, Stack, Text, Tooltip } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAreas, type Area, type Running } from './area.ts';

/** Current activity in all areas, with its progress; available on every page. */
export function RunningNow() {
  const { t } = useTranslation();
  const running = useAllRunning(useAreas());
  const [isOpen, setOpen] = useState(false);
  const count = running.reduce((sum, area) => sum + area.count, 0);
  return (
    <Popover opened={isOpen} onChange={setOpen} width={320} position="bottom-end" shadow="md" withArrow>
      <Popover.Target>
        <Tooltip label={t('common.running.label', { count })} disabled={isOpen}>
          <Indicator
            label={count}
            size={15}
            offset={5}
            disabled={count === 0}
            processing={count > 0}
            color="blue"
            className="running-now"
          >
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('common.running.label', { count })}
              onClick={() => setOpen(!isOpen)}
            >
              <IconActivity size={18} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text fw={600} size="sm">
            {t('common.running.show')}
          </Text>
          {count === 0 && (
            <Text size="sm" c="dimmed">
              {t('common.running.none')}
            </Text>
          )}
          {running.flatMap(({ rows }) => rows)}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const nothing: Running = { count: 0, rows: [] };

/** The areas are the same at every render, so their hooks are called in the same order. */
function useAllRunning(areas: readonly Area[]): Running[] {
  // oxlint-disable-next-line react-hooks/rules-of-hooks -- the same list in the same order at every render
  return areas.map(({ useRunning }) => useRunning?.() ?? nothing);
}
