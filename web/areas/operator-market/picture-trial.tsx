import { Alert, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, SampleTrace } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { PictureChange } from '../../ui/picture-change.tsx';
import { defaultsOf, isComplete, type Field, type Values } from '../../ui/schema-fields.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { previewQuery } from '../data-cleaning/cleaning-queries.ts';
import { DatasetSelect } from '../data-management/dataset-select.tsx';

/** More would be a preview of a task, which shows them step by step. */
const triedPictures = 6;
const pictureTypes = ['jpg', 'jpeg', 'png', 'webp', 'gif', 'tif', 'tiff', 'avif'];

/** The first pictures of a dataset with any parameters, and at once what the operator makes of them. */
export function PictureTrial({ operator, fields }: { operator: Operator; fields: readonly Field[] }) {
  const { t } = useTranslation();
  const [datasetId, setDatasetId] = useState<string>();
  const [params, setParams] = useState<Values>({});
  const [wanted] = useDebouncedValue(params, 300);
  const canTry = datasetId !== undefined && isComplete(fields, { ...defaultsOf(fields), ...wanted });
  const trial = useQuery(
    previewQuery(
      canTry
        ? {
            sourceDatasetId: datasetId,
            steps: [{ operatorId: operator.id, params: wanted }],
            input: { fileTypes: pictureTypes },
            limit: triedPictures,
          }
        : undefined,
    ),
  );
  return (
    <section className="panel" aria-label={t('operators.trial.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('operators.trial.title')}
      </Title>
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="xs">
            <DatasetSelect
              label={t('operators.trial.pictures.dataset')}
              description={t('operators.trial.pictures.datasetHelp', { count: triedPictures })}
              value={datasetId}
              onChange={setDatasetId}
            />
            <SchemaForm fields={fields} values={params} onChange={setParams} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} role="status" aria-label={t('operators.trial.result')}>
          {datasetId === undefined ? (
            <Alert color="gray">{t('operators.trial.pictures.choose')}</Alert>
          ) : !canTry ? (
            <Alert color="gray">{t('operators.trial.incomplete')}</Alert>
          ) : trial.isError ? (
            <ErrorPanel error={trial.error} onRetry={() => void trial.refetch()} />
          ) : trial.data === undefined ? (
            <Skeleton height={160} />
          ) : trial.data.samples.length === 0 ? (
            <Alert color="gray">{t('operators.trial.pictures.none')}</Alert>
          ) : (
            <Stack gap="sm" style={{ opacity: trial.isPlaceholderData ? 0.6 : 1 }}>
              {trial.data.samples.map((sample) => (
                <Tried key={sample.filePath} sample={sample} />
              ))}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
    </section>
  );
}

function Tried({ sample }: { sample: SampleTrace }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const { filePath, verdict, reason, steps, pictures, texts } = sample;
  const [step] = steps;
  const score = step?.score ?? null;
  const numberBefore = step?.before.picture;
  const before = numberBefore === undefined ? undefined : pictures[numberBefore];
  const after = texts.flatMap(({ picture }) => (picture === undefined ? [] : pictures.slice(picture, picture + 1)));
  return (
    <div className="example">
      <Group gap="xs" mb={4}>
        <VerdictBadge verdict={verdict} />
        {score !== null && (
          <Text size="xs" c="dimmed">
            {t('operators.trial.score', {
              score: new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(score),
            })}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="wraps">
          {filePath}
        </Text>
      </Group>
      {reason !== null && (
        <Text size="sm" mb={4}>
          {say(sample, 'reason')}
        </Text>
      )}
      {before !== undefined && (
        <PictureChange name={filePath.slice(filePath.lastIndexOf('/') + 1)} before={before} after={after} />
      )}
    </div>
  );
}
