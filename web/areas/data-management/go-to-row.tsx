import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Takes the number of a row, from 1, and goes there on Enter. */
export function GoToRow({ width, onGoTo }: { width: number; onGoTo: (row: number) => void }) {
  const { t } = useTranslation();
  return (
    <NumberInput
      aria-label={t('data.goToRow')}
      placeholder={t('data.goToRow')}
      size="xs"
      hideControls
      min={1}
      w={width}
      onKeyDown={(event) => {
        const row = Number(event.currentTarget.value);
        if (event.key === 'Enter' && Number.isInteger(row) && row > 0) onGoTo(row);
      }}
    />
  );
}
