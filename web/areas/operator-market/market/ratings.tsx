import { Group, Rating, Stack, Text } from '@mantine/core';
import { IconStarFilled } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { Operator } from '../../../api/schema.ts';
import { useMayEdit, useMe } from '../../../session/use-role.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { notifyError } from '../../../ui/notify.ts';
import { ShareBars } from '../../../ui/share-bars.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { operatorsKey } from './market-queries.ts';

/** The average as a short text: `★ 4.5 (12)`. */
export function RatingShort({ rating }: { rating: Operator['rating'] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  if (rating.average === null)
    return (
      <Text span size="xs" c="dimmed">
        {t('market.ratings.none')}
      </Text>
    );
  const average = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(rating.average);
  return (
    <Text
      span
      size="xs"
      className="figure rating-short"
      title={t('market.ratings.average', { average, count: rating.count })}
    >
      <IconStarFilled size={12} aria-hidden /> {average} ({rating.count})
    </Text>
  );
}

/** The ratings of an operator: the average, the number per star count, and the user's own. */
export function Ratings({ operator }: { operator: Operator }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const mayEdit = useMayEdit();
  const queryClient = useQueryClient();
  const { id, rating, yourRating, createdBy } = operator;
  const isYours = createdBy === useMe().username;
  const rate = useMutation({
    mutationFn: (stars: number) =>
      dataOf(api.PUT('/api/v1/operator-market/operators/{id}/rating', { params: { path: { id } }, body: { stars } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: operatorsKey }),
    onError: notifyError,
  });
  const average =
    rating.average === null ? '' : new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(rating.average);
  const label = t('market.ratings.yours');
  return (
    <Panel title={t('market.ratings.title')}>
      <Stack gap="sm">
        <Text size="sm">
          {rating.average === null
            ? t('market.ratings.none')
            : t('market.ratings.average', { average, count: rating.count })}
        </Text>
        {rating.count > 0 && (
          <ShareBars
            label={t('market.ratings.distribution')}
            shares={rating.distribution
              .map((count, at) => ({
                key: String(at + 1),
                label: t('market.ratings.stars', { count: at + 1 }),
                count,
                color: 'var(--mantine-color-yellow-filled)',
              }))
              .toReversed()}
          />
        )}
        {isYours && (
          <Text size="sm" c="dimmed">
            {t('market.ratings.isYours')}
          </Text>
        )}
        {mayEdit && !isYours && (
          <Group gap="xs">
            <Text size="sm">{label}</Text>
            <Rating
              aria-label={label}
              value={(rate.isPending ? rate.variables : yourRating) ?? 0}
              getSymbolLabel={(stars) => t('market.ratings.stars', { count: stars })}
              onChange={(stars) => {
                if (stars >= 1 && stars !== yourRating) rate.mutate(stars);
              }}
            />
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
