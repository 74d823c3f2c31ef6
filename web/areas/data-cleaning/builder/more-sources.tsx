import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconScale, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { datasetQuery } from '../../data-management/dataset-queries.ts';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import type { Draft, DraftSource } from '../drafts/draft.ts';

const maxMoreSources = 50;
const maxFolderLength = 255;

type Props = {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  /** The folder of each chosen source, the first source first, as far as the service has returned them. */
  folders: readonly string[];
  /** Adds a step that mixes the sources by weights; undefined if there is one. */
  onMix: (() => void) | undefined;
};

/** Further datasets that the task reads, each with the folder that holds its files during the run. */
export function MoreSources({ draft, onChange, folders, onMix }: Props) {
  const { t } = useTranslation();
  const { moreSources } = draft;
  const setSources = (next: DraftSource[]): void => onChange({ moreSources: next });
  return (
    <Stack gap="xs">
      {moreSources.length > 0 && (
        <>
          <TextInput
            size="xs"
            label={t('cleaning.source.others.mainFolder')}
            description={t('cleaning.source.others.folderHelp')}
            placeholder={folders[0]}
            maxLength={maxFolderLength}
            value={draft.sourceFolder}
            onChange={(event) => onChange({ sourceFolder: event.currentTarget.value })}
          />
          {moreSources.map((source, index) => (
            <SourceFields
              key={index}
              source={source}
              folder={folders[1 + moreSources.slice(0, index).filter(({ datasetId }) => datasetId !== '').length]}
              onChange={(next) => setSources(moreSources.map((one, at) => (at === index ? next : one)))}
              onRemove={() => setSources(moreSources.filter((_, at) => at !== index))}
            />
          ))}
        </>
      )}
      <Group gap="xs">
        {draft.sourceDatasetId !== '' && moreSources.length < maxMoreSources && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<IconPlus size={14} />}
            onClick={() => setSources([...moreSources, { datasetId: '', version: undefined, prefix: '', folder: '' }])}
          >
            {t('cleaning.source.others.add')}
          </Button>
        )}
        {moreSources.length > 0 && onMix !== undefined && (
          <Button size="compact-sm" variant="light" leftSection={<IconScale size={14} />} onClick={onMix}>
            {t('cleaning.source.others.mix')}
          </Button>
        )}
      </Group>
      {moreSources.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('cleaning.source.others.help')}
        </Text>
      )}
    </Stack>
  );
}

function SourceFields({
  source,
  folder,
  onChange,
  onRemove,
}: {
  source: DraftSource;
  folder: string | undefined;
  onChange: (source: DraftSource) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const { datasetId } = source;
  const dataset = useQuery({ ...datasetQuery(datasetId), enabled: datasetId !== '' });
  return (
    <Stack gap={4} className="panel" p="xs">
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <div style={{ flex: 1, minWidth: 0 }}>
          <DatasetSelect
            label={t('cleaning.source.others.dataset')}
            value={datasetId}
            // The folder and version belonged to the previous dataset.
            onChange={(id) => onChange({ datasetId: id ?? '', version: undefined, prefix: '', folder: '' })}
          />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('cleaning.source.others.remove', { name: dataset.data?.name ?? '' })}
          onClick={onRemove}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {datasetId !== '' && (
        <Group gap="xs" grow align="flex-start">
          <TextInput
            size="xs"
            label={t('cleaning.source.others.folder')}
            placeholder={folder}
            maxLength={maxFolderLength}
            value={source.folder}
            onChange={(event) => onChange({ ...source, folder: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            label={t('cleaning.source.others.prefix')}
            placeholder={t('cleaning.source.others.all')}
            maxLength={1000}
            value={source.prefix}
            onChange={(event) => onChange({ ...source, prefix: event.currentTarget.value })}
          />
          <NumberInput
            size="xs"
            label={t('cleaning.builder.version')}
            placeholder={t('cleaning.source.others.current')}
            min={1}
            max={dataset.data?.version}
            allowDecimal={false}
            value={source.version ?? ''}
            onChange={(version) => onChange({ ...source, version: typeof version === 'number' ? version : undefined })}
          />
        </Group>
      )}
    </Stack>
  );
}
