import { ActionIcon, Group, Indicator, Popover, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import type { Upload } from '../areas/data-management/uploads/upload.ts';
import { useRunningUploads, useUploadProgress } from '../areas/data-management/uploads/use-uploads.ts';

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
  const uploads = useRunningUploads();
  const count = (running.data?.data.totalElements ?? 0) + uploads.length;
  return (
    <Popover width={320} position="bottom-end" shadow="md" withArrow>
      <Popover.Target>
        <Tooltip label={t('common.running.label', { count })}>
          <Indicator
            label={count}
            size={15}
            offset={5}
            disabled={count === 0}
            processing={count > 0}
            color="blue"
            className="running-now"
          >
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
          {uploads.map((upload) => (
            <RunningUpload key={upload.reqId} upload={upload} />
          ))}
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

function RunningUpload({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const { sentBytes, totalBytes, doneFiles, totalFiles } = useUploadProgress(upload);
  const share = totalBytes === 0 ? doneFiles / totalFiles : sentBytes / totalBytes;
  return (
    <Link to="/datasets/$datasetId/upload" params={{ datasetId: upload.datasetId }} className="plain-link">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {t('uploads.running', { count: totalFiles })}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {Math.floor(100 * share)} %
        </Text>
      </Group>
      <Progress value={100 * share} size="sm" aria-label={t('uploads.running', { count: totalFiles })} />
    </Link>
  );
}
