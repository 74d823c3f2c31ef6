import { Checkbox, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetFile, Folder, PurgeReport } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { datasetKeys } from './dataset-queries.ts';
import { TextDialog } from '../../ui/text-dialog.tsx';

/** Reloads everything shown of a dataset after its files have changed. */
function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: datasetKeys.all });
}

export function NewFolderDialog(props: { datasetId: string; parent: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { datasetId, parent, onClose } = props;
  const refresh = useRefresh();
  return (
    <TextDialog
      title={t('datasets.files.newFolder')}
      label={t('datasets.files.newFolderName')}
      help={t('datasets.files.newFolderHelp', { path: parent ?? '/' })}
      initial=""
      action={t('common.actions.create')}
      onClose={onClose}
      onSubmit={async (directoryName) => {
        await dataOf(
          api.POST('/api/v1/data-management/datasets/{datasetId}/files/directories', {
            params: { path: { datasetId } },
            body: { parentPrefix: parent, directoryName },
          }),
        );
        await refresh();
        notifyDone(t('datasets.files.folderCreated', { name: directoryName }));
      }}
    />
  );
}

export function RenameFileDialog(props: { datasetId: string; file: DatasetFile; onClose: () => void }) {
  const { t } = useTranslation();
  const { datasetId, file, onClose } = props;
  const refresh = useRefresh();
  return (
    <TextDialog
      title={t('datasets.files.rename')}
      label={t('datasets.files.renameLabel')}
      help={t('datasets.files.renameHelp')}
      initial={file.filePath}
      action={t('common.actions.save')}
      onClose={onClose}
      onSubmit={async (filePath) => {
        const renamed = await dataOf(
          api.PATCH('/api/v1/data-management/datasets/{datasetId}/files/{fileId}', {
            params: { path: { datasetId, fileId: file.id } },
            body: { filePath },
          }),
        );
        await refresh();
        notifyDone(t('datasets.files.renamed', { path: renamed.filePath }));
      }}
    />
  );
}

export function DeleteFilesDialog(props: {
  datasetId: string;
  version: number;
  fileIds: readonly string[];
  /** The files' paths, as far as they are known. */
  names: readonly string[];
  onClose: () => void;
  onDone: () => void;
  /** Called with the report of what was erased, if the files were erased from all versions. */
  onPurged: (report: PurgeReport) => void;
}) {
  const { t } = useTranslation();
  const { datasetId, version, fileIds, names, onClose, onDone, onPurged } = props;
  const refresh = useRefresh();
  const [purge, setPurge] = useState(false);
  const count = fileIds.length;
  return (
    <ConfirmDialog
      opened
      title={t('datasets.files.deleteTitle')}
      action={t('datasets.files.deleteAction', { count })}
      onClose={onClose}
      onConfirm={async () => {
        if (purge) {
          const report = await dataOf(
            api.POST('/api/v1/data-management/datasets/{datasetId}/purge', {
              params: { path: { datasetId } },
              body: { fileIds: [...fileIds] },
            }),
          );
          onDone();
          await refresh();
          onPurged(report);
          return;
        }
        const { deleted } = await dataOf(
          api.POST('/api/v1/data-management/datasets/{datasetId}/files/batch-delete', {
            params: { path: { datasetId } },
            body: { fileIds: [...fileIds] },
          }),
        );
        onDone();
        await refresh();
        notifyDone(t('datasets.files.deleted', { count: deleted }));
      }}
    >
      <FileNames names={names} count={count} />
      <Explanation purge={purge} onPurge={setPurge}>
        {t('datasets.files.deleteExplained', { current: version, next: version + 1 })}
      </Explanation>
    </ConfirmDialog>
  );
}

export function DeleteFolderDialog(props: { datasetId: string; version: number; folder: Folder; onClose: () => void }) {
  const { t } = useTranslation();
  const { datasetId, version, folder, onClose } = props;
  const refresh = useRefresh();
  const [purge, setPurge] = useState(false);
  return (
    <ConfirmDialog
      opened
      title={t('datasets.files.deleteFolderTitle', { name: folder.name })}
      action={t('datasets.files.deleteFolderAction')}
      onClose={onClose}
      onConfirm={async () => {
        await dataOf(
          api.DELETE('/api/v1/data-management/datasets/{datasetId}/files/directories', {
            params: { path: { datasetId }, query: { path: folder.path, purge } },
          }),
        );
        await refresh();
        notifyDone(t('datasets.files.folderDeleted', { name: folder.name }));
      }}
    >
      <Explanation purge={purge} onPurge={setPurge}>
        {t('datasets.files.deleteFolderExplained', { count: folder.fileCount, current: version })}
      </Explanation>
    </ConfirmDialog>
  );
}

const shownNames = 8;

/** The files that a dialog is about: the first few by name, the rest as a count. */
function FileNames({ names, count }: { names: readonly string[]; count: number }) {
  const { t } = useTranslation();
  const shown = names.slice(0, shownNames);
  return (
    <ul className="plain-list file-names">
      {shown.map((name) => (
        <li key={name} className="wraps">
          {name}
        </li>
      ))}
      {count > shown.length && <li>{t('data.andMore', { count: count - shown.length })}</li>}
    </ul>
  );
}

function Explanation(props: { purge: boolean; onPurge: (purge: boolean) => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text size="sm">{props.purge ? t('datasets.files.purgeExplained') : props.children}</Text>
      <Checkbox
        label={t('datasets.files.purge')}
        checked={props.purge}
        onChange={(event) => props.onPurge(event.currentTarget.checked)}
      />
    </Stack>
  );
}

/** A dialog for an action on files. */
export type FileDialog =
  | { kind: 'new-folder' }
  | { kind: 'rename'; file: DatasetFile }
  | { kind: 'delete'; files: readonly string[] }
  | { kind: 'delete-folder'; folder: Folder };

/** The open dialog, if any. */
export function FileDialogs(props: {
  datasetId: string;
  version: number;
  path: string | undefined;
  dialog: FileDialog | undefined;
  /** The path of a listed file. */
  nameOf: (fileId: string) => string | undefined;
  onClose: () => void;
  onDone: () => void;
  onPurged: (report: PurgeReport) => void;
}) {
  const { datasetId, version, path, dialog, nameOf, onClose, onDone, onPurged } = props;
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'new-folder':
      return <NewFolderDialog datasetId={datasetId} parent={path} onClose={onClose} />;
    case 'rename':
      return <RenameFileDialog datasetId={datasetId} file={dialog.file} onClose={onClose} />;
    case 'delete':
      return (
        <DeleteFilesDialog
          datasetId={datasetId}
          version={version}
          fileIds={dialog.files}
          names={dialog.files.flatMap((id) => nameOf(id) ?? [])}
          onClose={onClose}
          onDone={onDone}
          onPurged={onPurged}
        />
      );
    case 'delete-folder':
      return <DeleteFolderDialog datasetId={datasetId} version={version} folder={dialog.folder} onClose={onClose} />;
  }
}
