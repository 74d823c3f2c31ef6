import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { counting } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { TaskFrame } from '../../runs/task-frame.tsx';
import { Fact, FactsPanel } from '../../ui/panel.tsx';

const route = getRouteApi('/shell/counting/$taskId');

export function TaskPage() {
  const { t } = useTranslation();
  const { taskId } = route.useParams();
  return (
    <TaskFrame
      area={counting}
      query={useQuery(taskQuery(counting, taskId))}
      definition={({ sourceDatasetId }) => (
        <FactsPanel title={t('counting.form.dataset')}>
          <Fact label={t('counting.form.dataset')}>
            <Link to="/datasets/$datasetId" params={{ datasetId: sourceDatasetId }}>
              {sourceDatasetId}
            </Link>
          </Fact>
        </FactsPanel>
      )}
    />
  );
}
