import { Anchor, Breadcrumbs, SimpleGrid, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Connector } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { TaskForm } from './task-form/task-form.tsx';
import { useConnectors } from './use-connectors.ts';

const route = getRouteApi('/shell/collection/new');

/** A new task: first the kind of source, then its form. */
export function NewTaskPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const connectors = useConnectors();
  const chosen = connectors.data?.find(({ type }) => type === search.connector);
  return (
    <Page
      title={chosen === undefined ? t('collection.gallery.title') : chosen.name}
      lead={chosen === undefined ? t('collection.gallery.lead') : chosen.description}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/collection" size="sm">
            {t('collection.title')}
          </Anchor>
          {chosen === undefined ? (
            <span>{t('collection.create')}</span>
          ) : (
            <Link
              to="/collection/new"
              search={search.dataset === undefined ? {} : { dataset: search.dataset }}
              className="plain-link"
            >
              {t('collection.gallery.other')}
            </Link>
          )}
        </Breadcrumbs>
      }
    >
      {connectors.isError ? (
        <ErrorPanel error={connectors.error} onRetry={() => void connectors.refetch()} />
      ) : connectors.data === undefined ? (
        <Skeleton height={240} />
      ) : chosen === undefined ? (
        <Gallery connectors={connectors.data} dataset={search.dataset} />
      ) : (
        <TaskForm key={chosen.type} connector={chosen} targetDatasetId={search.dataset} />
      )}
    </Page>
  );
}

function Gallery({ connectors, dataset }: { connectors: readonly Connector[]; dataset: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {connectors.map((connector) => {
        const { name, description } = connector;
        return (
          <UnstyledButton
            key={connector.type}
            className="panel choice"
            onClick={() =>
              void navigate({
                to: '/collection/new',
                search: { connector: connector.type, ...(dataset === undefined ? {} : { dataset }) },
              })
            }
          >
            <Text fw={600}>{name}</Text>
            <Text size="sm" c="dimmed">
              {description}
            </Text>
            <Text size="xs" c="dimmed" mt={6}>
              {t(connector.incremental ? 'collection.gallery.incremental' : 'collection.gallery.everything')}
            </Text>
          </UnstyledButton>
        );
      })}
    </SimpleGrid>
  );
}
