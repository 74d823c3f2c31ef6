import { Button, Group, Text } from '@mantine/core';
import { IconFolderUp, IconUpload } from '@tabler/icons-react';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyError } from '../../../ui/notify.ts';
import { filesOfDrop, filesOfInput, type ChosenFile } from './dropped-files.ts';

/** Drop zone with buttons to choose files or a folder. */
export function FileChooser({
  onChoose,
  compact = false,
  help,
  children,
}: {
  onChoose: (files: ChosenFile[]) => void;
  compact?: boolean;
  /** What may be dropped, for places where archives are not unpacked. */
  help?: string;
  /** Other ways to choose files. */
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState(false);
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    setReading(true);
    try {
      const files = await filesOfDrop(event.dataTransfer);
      if (files.length > 0) onChoose(files);
    } catch (error) {
      notifyError(error);
    } finally {
      setReading(false);
    }
  };
  const take = (input: HTMLInputElement): void => {
    if (input.files !== null && input.files.length > 0) onChoose(filesOfInput(input.files));
    input.value = '';
  };
  return (
    <section
      aria-label={t('data.choose.label')}
      className="drop-field"
      data-over={over || undefined}
      data-compact={compact || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      {!compact && <IconUpload size={32} aria-hidden />}
      <Text fw={compact ? 400 : 600} size={compact ? 'sm' : undefined}>
        {reading
          ? t('data.choose.reading')
          : t(compact || help !== undefined ? 'data.choose.dropShort' : 'data.choose.dropHere')}
      </Text>
      {!compact && (
        <Text size="sm" c="dimmed" ta="center">
          {help ?? t('data.choose.help')}
        </Text>
      )}
      <Group gap="xs" justify="center">
        <Button
          size="xs"
          variant={compact ? 'default' : 'filled'}
          onClick={() => filesInput.current?.click()}
          leftSection={<IconUpload size={14} />}
        >
          {t('data.choose.files')}
        </Button>
        <Button
          size="xs"
          variant={compact ? 'default' : 'light'}
          onClick={() => folderInput.current?.click()}
          leftSection={<IconFolderUp size={14} />}
        >
          {t('data.choose.folder')}
        </Button>
        {children}
      </Group>
      <input
        ref={filesInput}
        type="file"
        multiple
        hidden
        aria-label={t('data.choose.files')}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={(input) => {
          folderInput.current = input;
          input?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        multiple
        hidden
        aria-label={t('data.choose.folder')}
        onChange={(event) => take(event.currentTarget)}
      />
    </section>
  );
}
