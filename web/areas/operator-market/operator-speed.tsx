import { Skeleton, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { formatCount } from '../../ui/format.ts';
import { useLocale } from '../../ui/figures.tsx';

/** The service measures once per process, starting with the first request: polled until all are known. */
const speedsQuery = queryOptions({
  queryKey: ['operators', 'speeds'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/operator-market/speeds'))).data.speeds,
  staleTime: Infinity,
  refetchInterval: ({ state }) => (state.data?.some(({ pending }) => pending) === true ? 2_000 : false),
});

/** How many documents of 2,000 characters, or pictures of half a megapixel, an operator processes per second on this machine. */
export function OperatorSpeed({ operatorId }: { operatorId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data, isError } = useQuery(speedsQuery);
  const found = data?.find((one) => one.operatorId === operatorId);
  if ((data === undefined && !isError) || found?.pending === true)
    return <Skeleton height={12} width={60} display="inline-block" />;
  const speed = found?.samplesPerSecond ?? null;
  if (found === undefined || speed === null) {
    return (
      <Text span inherit c="dimmed" title={t('operators.speed.none')}>
        –
      </Text>
    );
  }
  return (
    <span className="figure" title={t(`operators.speed.help.${found.unit}`)}>
      {t(`operators.speed.perSecond.${found.unit}`, { speed: formatCount(rounded(speed), locale) })}
    </span>
  );
}

/** Two significant digits: a short measurement has no more. */
function rounded(speed: number): number {
  return Number(speed.toPrecision(2));
}
