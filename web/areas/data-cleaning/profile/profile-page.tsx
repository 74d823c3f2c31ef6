import { Anchor, Breadcrumbs, Button, Skeleton, Stack } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { RunHead } from '../../../runs/run-head.tsx';
import { useMayEdit } from '../../../session/use-role.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Page } from '../../../ui/page.tsx';
import { datasetQuery } from '../../data-management/dataset-queries.ts';
import { newTaskKey, storeDraft } from '../drafts/draft-storage.ts';
import { emptyDraft, newStep } from '../drafts/draft.ts';
import { useOperators } from '../use-operators.ts';
import { isUnfinished, profileRunQuery, stopProfile } from './profile-queries.ts';
import { ProfileBasis, ProfileView } from './profile-view.tsx';
import type { Proposal } from './propose-step.ts';

const route = getRouteApi('/shell/cleaning/profiles/$runId');

/** A run that reads all samples of a dataset: its progress, then the profile of the samples. */
export function ProfilePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const { runId } = route.useParams();
  const query = useQuery(profileRunQuery(runId));
  const dataset = useQuery({
    ...datasetQuery(query.data?.sourceDatasetId ?? ''),
    enabled: query.data !== undefined,
  });
  const operators = useOperators().data ?? [];
  const stop = useMutation({ mutationFn: stopProfile, onSuccess: () => query.refetch() });
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const { run, profile, sourceDatasetId, sourceVersion } = query.data ?? {};
  // The profiles of a deleted dataset remain.
  const name = dataset.data?.name ?? (dataset.isError ? sourceDatasetId : undefined);
  const number = run === undefined ? '…' : `#${run.number}`;
  const clean = ({ operatorId, params }: Proposal): void => {
    const operator = operators.find(({ id }) => id === operatorId);
    if (operator === undefined || sourceDatasetId === undefined) return;
    const step = newStep(operator);
    storeDraft(newTaskKey({ dataset: sourceDatasetId }), {
      ...emptyDraft(sourceDatasetId),
      steps: [{ ...step, params: { ...step.params, ...params } }],
    });
    void navigate({ to: '/cleaning/new', search: { dataset: sourceDatasetId } });
  };
  return (
    <Page
      title={name === undefined ? undefined : t('cleaning.profile.of', { name, number })}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/runs" size="sm">
            {t('shell.places.runs')}
          </Anchor>
          <span>
            {t('cleaning.profile.title')} {number}
          </span>
        </Breadcrumbs>
      }
      lead={
        dataset.data !== undefined &&
        sourceVersion !== undefined && (
          <Link
            to="/datasets/$datasetId/files"
            params={{ datasetId: dataset.data.id }}
            search={{ version: sourceVersion }}
          >
            {t('cleaning.profile.source', { name: dataset.data.name, version: sourceVersion })}
          </Link>
        )
      }
      actions={
        mayEdit &&
        run !== undefined &&
        (isUnfinished(run.status) ? (
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate(run.id)}>
            {t('cleaning.profile.stop')}
          </Button>
        ) : (
          dataset.data !== undefined && (
            <Link to="/cleaning/new" search={{ dataset: dataset.data.id }} className="button-link">
              <Button component="span" leftSection={<IconFilter size={16} />}>
                {t('cleaning.create')}
              </Button>
            </Link>
          )
        ))
      }
    >
      {stop.isError && <ErrorPanel error={stop.error} />}
      {run === undefined ? (
        <Skeleton height={240} />
      ) : (
        <Stack gap="md">
          <RunHead inputs="samples" run={run} live={{ connection: 'live', lines: [], perSecond: undefined }} />
          {profile !== undefined && (
            <section className="panel" aria-label={t('cleaning.profile.title')}>
              <Stack gap="sm">
                <ProfileBasis profile={profile} />
                <ProfileView profile={profile} operators={operators} onPropose={clean} />
              </Stack>
            </section>
          )}
        </Stack>
      )}
    </Page>
  );
}
