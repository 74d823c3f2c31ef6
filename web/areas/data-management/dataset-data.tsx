import { Button, Select, Skeleton, Stack } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { firstFileQuery, type Glance } from './data-queries.ts';
import { FileContent } from './file-views/file-content.tsx';
import { Gallery } from './file-views/gallery.tsx';
import { kindOf } from './file-views/file-kind.ts';

const route = getRouteApi('/shell/datasets/$datasetId/');

/** A dataset opens on its content: the rows of its first table, else its pictures, else its first text. */
export function DatasetData() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { file: chosen, version } = route.useSearch();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const glance = useQuery(firstFileQuery(datasetId, version));
  if (glance.isError) return <ErrorPanel error={glance.error} onRetry={() => void glance.refetch()} />;
  if (glance.data === undefined) return <Skeleton height={420} />;
  const { files } = glance.data;
  const file = files.find(({ id }) => id === chosen) ?? files[0];
  if (file === undefined)
    return (
      <EmptyState
        icon={IconFiles}
        title={t('datasets.overview.emptyTitle')}
        lead={t('datasets.overview.emptyLead')}
        action={
          <Button
            disabled={!mayEdit || version !== undefined}
            onClick={() => void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId } })}
          >
            {t('datasets.detail.upload')}
          </Button>
        }
      />
    );
  const isGallery = kindOf(file) === 'image' && chosen === undefined;
  const chooser = (
    <FileSelect
      glance={glance.data}
      value={file.id}
      onChange={(next) =>
        void navigate({
          to: '/datasets/$datasetId',
          params: { datasetId },
          search: { file: next, ...(version === undefined ? {} : { version }) },
          replace: true,
        })
      }
    />
  );
  if (!isGallery)
    return <FileContent key={file.id} datasetId={datasetId} file={file} version={version} lead={chooser} />;
  return (
    <Stack gap={6}>
      <div>{chooser}</div>
      <Gallery datasetId={datasetId} version={version} />
    </Stack>
  );
}

function FileSelect(props: { glance: Glance; value: string; onChange: (fileId: string) => void }) {
  const { t } = useTranslation();
  const { glance, value, onChange } = props;
  return (
    <Select
      aria-label={t('data.file')}
      data={glance.files.map(({ id, filePath }) => ({ value: id, label: filePath }))}
      value={value}
      onChange={(next) => next !== null && onChange(next)}
      allowDeselect={false}
      size="xs"
      searchable
      // Typing replaces the chosen name.
      onClick={(event) => event.currentTarget.select()}
      onFocus={(event) => event.currentTarget.select()}
      nothingFoundMessage={t('common.list.nothingFound')}
      w={{ base: '100%', xs: 280 }}
      {...(glance.more > 0 ? { description: t('data.moreFiles', { count: glance.more }) } : {})}
      inputWrapperOrder={['input', 'description']}
    />
  );
}
