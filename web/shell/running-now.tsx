import { ActionIcon, Group, Indicator, Popover, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';

const busyMs = 2_000;
const idleMs = 10_000;

/** What is running now, with its progress, from every page. */
export function RunningNow() {
  const { t } = useTranslation();
  const running = useQuery({
    queryKey: ['running'],
    queryFn: () =>
      dataOf(api.GET('/api/v1/data-cleaning/tasks', { params: { query: { status: 'RUNNING', size: 20 } } })),
    refetchInterval: (query) => ((query.state.data?.data.totalElements ?? 0) > 0 ? busyMs : idleMs),
  });
  const count = running.data?.data.totalElements ?? 0;
  return (
    <Popover width={320} position="bottom-end" shadow="md" withArrow>
      <Popover.Target>
        <Tooltip label={t('common.running.label', { count })}>
          <Indicator label={count} size={15} disabled={count === 0} processing={count > 0} color="blue">
            <ActionIcon variant="subtle" color="gray" aria-label={t('common.running.label', { count })}>
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
          {running.data?.data.content.map((task) => (
            <Link key={task.id} to="/cleaning/$taskId" params={{ taskId: task.id }} className="plain-link">
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" truncate>
                  {task.name}
                </Text>
                <Text size="xs" c="dimmed" className="figure">
                  {Math.floor(task.progress)} %
                </Text>
              </Group>
              <Progress value={task.progress} size="sm" aria-label={task.name} />
            </Link>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
