import { Anchor, Badge, Breadcrumbs, Button, Code, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Operator } from '../../api/schema.ts';
import { localizeCategory, localizeOperator } from '../../messages/operator-texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { UsedInLink } from '../../ui/used-in-link.tsx';
import { InlineCode } from '../../ui/inline-code.tsx';
import { Page } from '../../ui/page.tsx';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { newStep, emptyDraft } from '../data-cleaning/drafts/draft.ts';
import { newTaskKey, storeDraft } from '../data-cleaning/drafts/draft-storage.ts';
import { Panel } from '../../ui/panel.tsx';
import { OperatorExamples } from './operator-examples.tsx';
import { OperatorParams } from './operator-params.tsx';
import { OperatorSpeed } from './operator-speed.tsx';
import { OperatorTrial } from './operator-trial.tsx';
import { PictureTrial } from './picture-trial.tsx';

const route = getRouteApi('/shell/operators/$operatorId');

/** One operator: what it does, its parameters and its examples. */
export function OperatorPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const { operatorId } = route.useParams();
  const query = useQuery({
    queryKey: ['operators', operatorId],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/operator-market/operators/{id}', { params: { path: { id: operatorId } } }))).data,
  });
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data?.source === 'PUBLISHED')
    return <Navigate to="/market/operators/$operatorId" params={{ operatorId }} replace />;
  const operator = query.data === undefined ? undefined : localizeOperator(query.data, i18n.language);
  return (
    <Page
      title={operator?.name}
      lead={operator !== undefined && <InlineCode text={operator.description} />}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/operators" size="sm">
            {t('operators.title')}
          </Anchor>
          <span>{operator?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        operator !== undefined &&
        mayEdit && (
          <Button
            onClick={() => {
              storeDraft(newTaskKey({}), { ...emptyDraft(), steps: [newStep(operator)] });
              void navigate({ to: '/cleaning/new' });
            }}
          >
            {t('operators.use')}
          </Button>
        )
      }
    >
      {operator === undefined ? <Skeleton height={240} /> : <Details operator={operator} />}
    </Page>
  );
}

function Details({ operator }: { operator: Operator }) {
  const { t, i18n } = useTranslation();
  const fields = fieldsOf(operator.paramsSchema);
  const mayEdit = useMayEdit();
  return (
    <>
      <Group gap="xs">
        <Code>
          {operator.id} {operator.version}
        </Code>
        <UsedInLink kind="OPERATOR" id={operator.id} />
        <Badge variant="light" className="status">
          {t(`operators.kinds.${operator.kind}`)}
        </Badge>
        {operator.categories.map((category) => (
          <Badge key={category} variant="light" color="gray" className="status">
            {localizeCategory(category, i18n.language)}
          </Badge>
        ))}
        <Text size="sm" c="dimmed" component="span">
          <OperatorSpeed operatorId={operator.id} />
        </Text>
      </Group>
      {mayEdit &&
        (operator.modality === 'TEXT' ? (
          <OperatorTrial key={operator.id} operator={operator} fields={fields} />
        ) : (
          <PictureTrial key={operator.id} operator={operator} fields={fields} />
        ))}
      <OperatorParams fields={fields} />
      <Panel title={t('operators.examples')}>
        <OperatorExamples operator={operator} fields={fields} />
      </Panel>
    </>
  );
}
