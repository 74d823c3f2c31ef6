import { Text } from '@mantine/core';
import { IconDatabasePlus, IconFolderUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../../session/use-role.ts';
import { useAreas, type Drop } from '../../../shell/area.ts';
import { notifyError } from '../../../ui/notify.ts';
import { datasetQuery } from '../dataset-queries.ts';
import { filesOfDrop, type ChosenFile } from './dropped-files.ts';
import { handFiles } from './handed-files.ts';
import { useNewDataset } from './use-new-dataset.ts';

/** Files and folders dropped on any page become a new dataset, or are added to the open one. */
export function DropAnywhere() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const create = useNewDataset();
  const [over, setOver] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const datasetId = /^\/datasets\/([^/]+)/.exec(path)?.[1];
  const { data: dataset } = useQuery({ ...datasetQuery(datasetId ?? ''), enabled: datasetId !== undefined });
  const drops = useDrops();
  const mayAdd = datasetId !== undefined && dataset !== undefined && dataset.status !== 'ARCHIVED';
  // The page for uploads has its own drop zones.
  const isOffered = mayEdit && !path.endsWith('/upload');

  const take = async (transfer: DataTransfer, into: 'new' | 'open' | Drop): Promise<void> => {
    setOver(false);
    let files: ChosenFile[];
    try {
      files = await filesOfDrop(transfer);
    } catch (error) {
      notifyError(error);
      return;
    }
    if (files.length === 0) return;
    if (typeof into === 'object') await into.take(files);
    else if (into === 'new' || datasetId === undefined) create.mutate(files);
    else {
      handFiles(datasetId, files);
      await navigate({ to: '/datasets/$datasetId/upload', params: { datasetId } });
    }
  };
  const enter = useEffectEvent((event: DragEvent): void => {
    if (isOffered && event.dataTransfer?.types.includes('Files') === true) setOver(true);
  });
  useEffect(() => {
    // Without this the browser would open a file dropped beside a field, and leave the application.
    const keep = (event: DragEvent): void => event.preventDefault();
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const end = (): void => setOver(false);
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', keep);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', keep);
    window.addEventListener('dragend', end);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', keep);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', keep);
      window.removeEventListener('dragend', end);
    };
  }, []);
  if (!over) return null;
  return (
    <div
      className="drop-anywhere"
      role="region"
      aria-label={t('data.drop.title')}
      onDrop={(event) => void take(event.dataTransfer, drops[0] ?? 'new')}
    >
      <div
        className="drop-target"
        onDrop={(event) => {
          event.stopPropagation();
          event.preventDefault();
          void take(event.dataTransfer, 'new');
        }}
      >
        <IconDatabasePlus size={36} aria-hidden />
        <Text fw={600}>{t('data.drop.new')}</Text>
        <Text size="sm">{t('data.drop.newLead')}</Text>
      </div>
      {mayAdd && (
        <div
          className="drop-target"
          onDrop={(event) => {
            event.stopPropagation();
            event.preventDefault();
            void take(event.dataTransfer, 'open');
          }}
        >
          <IconFolderUp size={36} aria-hidden />
          <Text fw={600}>{t('data.drop.open', { name: dataset.name })}</Text>
          <Text size="sm">{t('data.drop.openLead')}</Text>
        </div>
      )}
      {drops.map((drop) => (
        <div
          key={drop.label}
          className="drop-target"
          onDrop={(event) => {
            event.stopPropagation();
            event.preventDefault();
            void take(event.dataTransfer, drop);
          }}
        >
          <drop.icon size={36} />
          <Text fw={600}>{drop.label}</Text>
          <Text size="sm">{drop.lead}</Text>
        </div>
      ))}
    </div>
  );
}

/** The drops that other areas accept on the open page. */
function useDrops(): readonly Drop[] {
  // oxlint-disable-next-line react-hooks/rules-of-hooks -- the same list in the same order at every render
  return useAreas().flatMap(({ useDrop }) => useDrop?.() ?? []);
}
