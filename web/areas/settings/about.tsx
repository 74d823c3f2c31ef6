import { Anchor, Code, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { addressOf } from '../../api/path-prefix.ts';

/** Version and health of this service, and the limits of the signed-in user. */
export function About() {
  const { t } = useTranslation();
  const service = useQuery({
    queryKey: ['about'],
    queryFn: async () => {
      const [{ data, response }, ready] = await Promise.all([
        api.GET('/api/v1/openapi.json'),
        fetch(addressOf('/readyz')),
      ]);
      const { info } = (data ?? {}) as { info?: { version?: string } };
      const me = await api.GET('/api/v1/auth/me');
      return {
        version: info?.version ?? '',
        isReady: ready.ok,
        limit: me.response.headers.get('x-ratelimit-limit') ?? response.headers.get('x-ratelimit-limit'),
        remaining: me.response.headers.get('x-ratelimit-remaining'),
      };
    },
  });
  if (service.isError) return <ErrorPanel error={service.error} onRetry={() => void service.refetch()} />;
  const { data } = service;
  const known = (value: () => string): ReactNode =>
    data === undefined ? <Skeleton height={12} my={5} width={120} /> : value();
  const rows: [string, ReactNode][] = [
    [t('settings.about.version'), known(() => data?.version ?? '')],
    [
      t('settings.about.state'),
      known(() => t(data?.isReady === true ? 'settings.about.ready' : 'settings.about.notReady')),
    ],
    [
      t('settings.about.limit'),
      known(() =>
        typeof data?.limit === 'string'
          ? t('settings.about.limitFigures', { limit: data.limit, remaining: data.remaining ?? '' })
          : t('settings.about.noLimit'),
      ),
    ],
    [
      t('settings.about.address'),
      <Code key="address" className="wraps">
        {location.origin + addressOf('/api/v1')}
      </Code>,
    ],
    [
      t('settings.about.documents'),
      <Anchor key="docs" href={addressOf('/docs')} size="sm">
        {t('settings.about.apiDocument')}
      </Anchor>,
    ],
  ];
  return (
    <Stack maw={640}>
      <div className="panel">
        <Table withRowBorders={false}>
          <Table.Tbody>
            {rows.map(([label, value]) => (
              <Table.Tr key={label}>
                <Table.Th scope="row" w={180} fw={400} c="dimmed">
                  {label}
                </Table.Th>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Text size="sm" c="dimmed">
        {t('settings.about.limitHelp')}
      </Text>
    </Stack>
  );
}
