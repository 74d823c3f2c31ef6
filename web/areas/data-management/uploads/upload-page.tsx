import { Alert, Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconRestore, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { datasetQuery } from '../dataset-queries.ts';
import { isArchive, type ChosenFile } from './dropped-files.ts';
import { takeHandedFiles } from './handed-files.ts';
import { FileChooser } from './file-chooser.tsx';
import { MissingFiles } from './missing-files.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { uploadsStore, type InterruptedUpload as Interruption } from './uploads-store.ts';
import { useInterruptedUploads } from './use-interrupted-uploads.ts';
import { useUploads } from './use-uploads.ts';

const route = getRouteApi('/shell/datasets/$datasetId/upload');
const conflicts = ['REPLACE', 'RENAME', 'ERROR'] as const;

type UploadOptions = {
  prefix: string;
  onConflict: (typeof conflicts)[number];
  unpack: boolean;
  intoFolder: boolean;
  nameEncoding: string | null;
};
/** Encodings of names in archives from systems without Unicode, with familiar labels; any other is set through the API. */
const nameEncodings = [
  'gb18030',
  'big5',
  'shift_jis',
  'euc-kr',
  'ibm866',
  'windows-1251',
  'koi8-r',
  'cp437',
  'cp850',
  'windows-1252',
  'cp852',
  'windows-1250',
  'cp737',
  'windows-1253',
  'cp857',
  'windows-1254',
  'cp862',
  'windows-1255',
  'cp720',
  'windows-1256',
  'windows-874',
  'macintosh',
  'utf-8',
];

/** Upload of files, folders and archives: choose or drop, review, start. */
export function UploadPage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { prefix } = route.useSearch();
  const [chosen, setChosen] = useState<readonly ChosenFile[]>(() => takeHandedFiles(datasetId));
  const { data: dataset } = useQuery(datasetQuery(datasetId));
  const uploads = useUploads().filter((upload) => upload.datasetId === datasetId);
  if (dataset?.status === 'ARCHIVED') return <Alert color="orange">{t('datasets.detail.archivedHint')}</Alert>;
  return (
    <Stack gap="md">
      {uploads.toReversed().map((upload) => (
        <UploadPanel key={upload.reqId} upload={upload} />
      ))}
      <Interrupted datasetId={datasetId} />
      {chosen.length === 0 ? (
        <FileChooser onChoose={setChosen} />
      ) : (
        <StartForm
          datasetId={datasetId}
          prefix={prefix}
          files={chosen}
          onAdd={(more) => setChosen(merge(chosen, more))}
          onDone={() => setChosen([])}
        />
      )}
    </Stack>
  );
}

/** A path chosen twice counts once, with the last file. */
function merge(before: readonly ChosenFile[], more: readonly ChosenFile[]): ChosenFile[] {
  return [...new Map([...before, ...more].map((file) => [file.path, file])).values()];
}

function StartForm(props: {
  datasetId: string;
  prefix: string | undefined;
  files: readonly ChosenFile[];
  onAdd: (more: ChosenFile[]) => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const { datasetId, files, onAdd, onDone } = props;
  const draft = useDraft<UploadOptions>({
    prefix: props.prefix ?? '',
    onConflict: 'REPLACE',
    unpack: true,
    intoFolder: true,
    nameEncoding: null,
  });
  const hasArchive = files.some(isArchive);
  const isUnpacked = hasArchive && draft.values.unpack;
  const totalBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const start = useMutation({
    mutationFn: ({ prefix, onConflict, intoFolder, nameEncoding }: UploadOptions) =>
      uploadsStore.begin(
        {
          datasetId,
          prefix: prefix.trim() || undefined,
          files,
          onConflict,
          unpackArchives: isUnpacked,
          unpackInto: intoFolder ? 'FOLDER' : 'PREFIX',
          nameEncoding: isUnpacked ? (nameEncoding ?? undefined) : undefined,
        },
        queryClient,
      ),
    onSuccess: onDone,
  });
  return (
    <div className="panel">
      <Stack gap="sm">
        <Text fw={600}>
          {t('uploads.chosen', {
            count: files.length,
            files: formatCount(files.length, locale),
            size: formatBytes(totalBytes, locale),
          })}
        </Text>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {files
            .slice(0, 5)
            .map(({ path }) => path)
            .join(', ')}
          {files.length > 5 ? ' …' : ''}
        </Text>
        <Group align="flex-start">
          <TextInput
            label={t('uploads.prefix')}
            description={t('uploads.prefixHelp')}
            placeholder="/"
            {...draft.text('prefix')}
            w={{ base: '100%', xs: 260 }}
          />
          <Select
            label={t('uploads.onConflict')}
            description={t(`uploads.conflictHelp.${draft.values.onConflict}`)}
            data={conflicts.map((value) => ({ value, label: t(`uploads.conflict.${value}`) }))}
            {...draft.choice('onConflict')}
            allowDeselect={false}
            w={{ base: '100%', xs: 300 }}
          />
        </Group>
        {hasArchive && (
          <Switch label={t('uploads.unpack')} description={t('uploads.unpackHelp')} {...draft.flag('unpack')} />
        )}
        {isUnpacked && (
          <Switch
            label={t('uploads.unpackIntoFolder')}
            description={t('uploads.unpackIntoFolderHelp')}
            {...draft.flag('intoFolder')}
          />
        )}
        {isUnpacked && (
          <Select
            label={t('uploads.nameEncoding')}
            description={t('uploads.nameEncodingHelp')}
            placeholder={t('uploads.nameEncodingGuess')}
            data={nameEncodings}
            {...draft.value('nameEncoding')}
            clearable
            w={{ base: '100%', xs: 300 }}
          />
        )}
        {start.isError && <ErrorPanel error={start.error} />}
        <FileChooser onChoose={onAdd} compact />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            {t('common.actions.cancel')}
          </Button>
          <Button
            loading={start.isPending}
            onClick={() => start.mutate(draft.values)}
            leftSection={<IconUpload size={16} />}
          >
            {t('uploads.start', { count: files.length })}
          </Button>
        </Group>
      </Stack>
    </div>
  );
}

/** Uploads interrupted by closing the page: they resume once the same files are chosen again. */
function Interrupted({ datasetId }: { datasetId: string }) {
  const queryClient = useQueryClient();
  const interrupted = useInterruptedUploads(datasetId);
  return interrupted.data?.map((upload) => (
    <InterruptedUpload
      key={upload.reqId}
      upload={upload}
      onDiscard={async () => {
        await uploadsStore.discard(upload, queryClient);
        await interrupted.refetch();
      }}
    />
  ));
}

function InterruptedUpload({ upload, onDiscard }: { upload: Interruption; onDiscard: () => Promise<void> }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const resume = useMutation({
    mutationFn: (files: ChosenFile[]) => uploadsStore.resume(upload, files, queryClient),
  });
  const discard = useMutation({ mutationFn: onDiscard });
  const first = upload.files[0]?.path ?? '';
  return (
    <Alert
      color="blue"
      icon={<IconRestore />}
      title={t('uploads.interrupted', { count: upload.files.length, files: formatCount(upload.files.length, locale) })}
    >
      <Stack gap="xs">
        <Text size="sm">{t('uploads.interruptedHelp', { first })}</Text>
        <MissingFiles paths={upload.missing} />
        <FileChooser onChoose={(files) => resume.mutate(files)} compact />
        {(resume.isError || discard.isError) && <ErrorPanel error={resume.error ?? discard.error} />}
        <Group>
          <Button size="xs" color="red" variant="subtle" loading={discard.isPending} onClick={() => discard.mutate()}>
            {t('uploads.discard')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
