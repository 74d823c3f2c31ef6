import { Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago } from '../../../ui/figures.tsx';
import { versionsQuery } from '../dataset-queries.ts';
import { useVersion } from './use-version.ts';

const listed = 15;

/** The version that all tabs of a dataset show, with a menu of the others. */
export function VersionSwitch({ datasetId, current }: { datasetId: string; current: number }) {
  const { t } = useTranslation();
  const shown = useVersion() ?? current;
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const list = useQuery({ ...versionsQuery(datasetId, { page: 0, size: listed }), enabled: isOpen });
  const choose = (version: number): void =>
    void navigate({
      to: '.',
      // The files and rows of one version do not exist in another.
      search: (old: Record<string, unknown>) => ({
        ...old,
        row: undefined,
        page: undefined,
        version: version === current ? undefined : version,
      }),
    });
  return (
    <Menu position="bottom-start" opened={isOpen} onChange={setOpen} withinPortal>
      <Menu.Target>
        <UnstyledButton className="version-switch" fz="xs" data-old={shown !== current || undefined}>
          {t('datasets.detail.version', { version: shown })} <IconChevronDown size={12} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }} maw={340}>
        <Menu.Label>{t('viewer.versions.show')}</Menu.Label>
        {list.data?.content.map(({ version, name, createdAt }) => (
          <Menu.Item
            key={version}
            leftSection={version === shown ? <IconCheck size={14} /> : <span className="icon-space" />}
            onClick={() => choose(version)}
          >
            <Text size="sm" component="span">
              {t('datasets.detail.version', { version })}
              {version === current && ` · ${t('datasets.versions.current')}`}
              {name !== null && ` · ${name}`}
            </Text>{' '}
            <Text size="xs" c="dimmed" component="span">
              <Ago time={createdAt} />
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to={`/datasets/${datasetId}/versions`}>
          {t('viewer.versions.all')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
