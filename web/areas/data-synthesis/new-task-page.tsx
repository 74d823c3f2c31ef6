import { Alert, Anchor, Breadcrumbs } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import { Page } from '../../ui/page.tsx';
import { TaskForm } from './task-form/task-form.tsx';

const route = getRouteApi('/shell/synthesis/new');

/** A new task; it is started on its own page, which shows the forecast. */
export function NewTaskPage() {
  const { t } = useTranslation();
  const { dataset, template } = route.useSearch();
  const mayEdit = useMayEdit();
  return (
    <Page
      title={t('synthesis.create')}
      lead={t('synthesis.form.lead')}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/synthesis" size="sm">
            {t('synthesis.title')}
          </Anchor>
          <span>{t('synthesis.create')}</span>
        </Breadcrumbs>
      }
    >
      {mayEdit ? (
        <TaskForm dataset={dataset} template={template} />
      ) : (
        <Alert color="blue">{t('common.errors.forbidden')}</Alert>
      )}
    </Page>
  );
}
