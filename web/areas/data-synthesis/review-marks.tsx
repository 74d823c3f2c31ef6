import { Badge, Group } from '@mantine/core';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SynthesisRecord } from '../../api/schema.ts';

/** Badges for what reviewers did to a record. */
export function ReviewMarks({ record: { review, edited } }: { record: SynthesisRecord }) {
  const { t } = useTranslation();
  if (review === null && !edited) return null;
  return (
    <Group gap={4} mt={4}>
      {review !== null && (
        <Badge
          size="sm"
          variant="light"
          color={review === 'ACCEPTED' ? 'green' : 'red'}
          className="status"
          leftSection={review === 'ACCEPTED' ? <IconCheck size={11} /> : <IconX size={11} />}
        >
          {t(`synthesis.reviews.${review}`)}
        </Badge>
      )}
      {edited && (
        <Badge size="sm" variant="light" color="blue" className="status" leftSection={<IconPencil size={11} />}>
          {t('synthesis.records.edited')}
        </Badge>
      )}
    </Group>
  );
}
