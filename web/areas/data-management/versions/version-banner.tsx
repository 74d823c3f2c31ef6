import { Alert, Button, Group } from '@mantine/core';
import { IconArrowBackUp, IconGitCompare, IconHistory } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../../session/use-role.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** Says above every tab that an older version is shown, and links back to the current one. */
export function VersionBanner({
  datasetId,
  version,
  current,
}: {
  datasetId: string;
  version: number;
  current: number;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const [isRestoring, setRestoring] = useState(false);
  return (
    <Alert color="blue" py={6} icon={<IconHistory size={18} />} title={t('datasets.files.olderVersion', { version })}>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="light"
          onClick={() =>
            void navigate({
              to: '.',
              search: (old: Record<string, unknown>) => ({ ...old, version: undefined, row: undefined }),
            })
          }
        >
          {t('datasets.files.toCurrent')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconGitCompare size={14} />}
          onClick={() =>
            void navigate({
              to: '/datasets/$datasetId/versions/diff',
              params: { datasetId },
              search: { from: version, to: current },
            })
          }
        >
          {t('viewer.versions.compareCurrent')}
        </Button>
        {mayEdit && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconArrowBackUp size={14} />}
            onClick={() => setRestoring(true)}
          >
            {t('viewer.versions.restore')}
          </Button>
        )}
      </Group>
      {isRestoring && (
        <RestoreDialog datasetId={datasetId} version={version} current={current} onClose={() => setRestoring(false)} />
      )}
    </Alert>
  );
}
