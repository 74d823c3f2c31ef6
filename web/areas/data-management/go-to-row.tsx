import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** A field for a row number, from 1; Enter goes to the row. */
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
