import { Alert, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import type { DatasetFile } from '../../../api/schema.ts';
import { downloadUrl } from '../dataset-queries.ts';
import { DocumentView } from './document-view.tsx';
import { RowsView } from './rows/rows-view.tsx';
import { hasRows, isWorkbook, kindOf } from './file-kind.ts';
import { ImageView, PlayerView } from './media-views.tsx';
import { TableView } from './table-view.tsx';
import { TextView } from './text-view.tsx';

/** A file by its kind: rows, text, picture, audio, video, or the text of a document. `lead` is shown above. */
export function FileContent(props: {
  datasetId: string;
  file: DatasetFile;
  version?: number | undefined;
  lead?: ReactNode;
}) {
  const { t } = useTranslation();
  const say = useSay();
  const { datasetId, file, version, lead } = props;
  const url = downloadUrl(datasetId, file.id, version);
  const shown = { datasetId, file, version };
  const kind = kindOf(file);
  const [view, setView] = useState<'table' | 'text'>('table');
  const below = (view: ReactNode) => (
    <Stack gap={6}>
      {lead !== undefined && <Group gap="xs">{lead}</Group>}
      {view}
    </Stack>
  );
  if (file.status === 'ERROR')
    return below(<Alert color="red">{t('datasets.file.broken', { reason: say(file, 'error') })}</Alert>);
  if (file.status === 'PROCESSING') return below(<Alert color="blue">{t('datasets.file.notReady')}</Alert>);
  // The sheets of a workbook are shown as tables, its text as that of a document.
  const isSheets = isWorkbook(file) && file.fileSize > 0;
  if (isSheets || kind === 'table') {
    const control = (shownAs: 'table' | 'text', isTable = true) => (
      <>
        {lead}
        <SegmentedControl
          w="fit-content"
          size="xs"
          value={shownAs}
          onChange={(value) => setView(value === 'text' ? 'text' : 'table')}
          data={[
            { value: 'table', label: t('datasets.file.table'), disabled: !isTable },
            { value: 'text', label: t('datasets.file.text') },
          ]}
        />
      </>
    );
    const leads = { lead: control('table'), textLead: control('text', false) };
    if (view === 'table')
      return isSheets || (hasRows(file) && file.fileSize > 0) ? (
        <RowsView {...shown} {...leads} />
      ) : (
        <TableView {...shown} {...leads} />
      );
    return (
      <Stack gap={6}>
        <Group gap="xs">{control('text')}</Group>
        {isSheets ? <DocumentView {...shown} /> : <TextView {...shown} />}
      </Stack>
    );
  }
  switch (kind) {
    case 'image':
      return below(<ImageView {...shown} url={url} />);
    case 'audio':
    case 'video':
      return below(<PlayerView file={file} url={url} kind={kind} />);
    case 'text':
      return below(<TextView {...shown} />);
    case 'other':
      return below(<Text c="dimmed">{t('datasets.file.noPreview')}</Text>);
    case 'document':
      return below(<DocumentView {...shown} />);
  }
}
