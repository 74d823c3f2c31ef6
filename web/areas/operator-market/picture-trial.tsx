import { Alert, Button, CloseButton, FileButton, Grid, Group, Input, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPhotoSearch } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
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
import { Panel } from '../../ui/panel.tsx';
import { receivePictures } from './handed-pictures.ts';

/** For more pictures there is the preview of a task, which shows them step by step. */
const triedPictures = 6;
const maxPictureBytes = 20 * 1024 * 1024;
const pictureTypes = ['jpg', 'jpeg', 'png', 'webp', 'gif', 'tif', 'tiff', 'avif'];

/** Applies the operator live to the first pictures of a dataset, with any parameters. */
export function PictureTrial({ operator, fields }: { operator: Operator; fields: readonly Field[] }) {
  const { t } = useTranslation();
  const [datasetId, setDatasetId] = useState<string>();
  const [params, setParams] = useState<Values>({});
  const [wanted] = useDebouncedValue(params, 300);
  const [own, setOwn] = useState<Own>();
  const [refusal, setRefusal] = useState<string>();
  const canTry =
    (datasetId !== undefined || own !== undefined) && isComplete(fields, { ...defaultsOf(fields), ...wanted });
  const take = (files: readonly File[]): void => {
    const problem = problemOf(files, t);
    setRefusal(problem);
    if (problem === undefined) setOwn((before) => ({ number: (before?.number ?? 0) + 1, files }));
  };
  const takeDropped = useEffectEvent(take);
  useEffect(() => receivePictures((files) => takeDropped(files)), []);
  const ofOwn = useQuery(ownQuery(operator.id, canTry ? own : undefined, wanted));
  const ofDataset = useQuery(
    previewQuery(
      canTry && own === undefined && datasetId !== undefined
        ? {
            sourceDatasetId: datasetId,
            steps: [{ operatorId: operator.id, params: wanted }],
            input: { fileTypes: pictureTypes },
            limit: triedPictures,
          }
        : undefined,
    ),
  );
  const trial = own === undefined ? ofDataset : ofOwn;
  return (
    <Panel title={t('operators.trial.title')}>
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="xs">
            <DatasetSelect
              label={t('operators.trial.pictures.dataset')}
              description={t('operators.trial.pictures.datasetHelp', { count: triedPictures })}
              value={datasetId}
              onChange={(next) => {
                setDatasetId(next);
                setOwn(undefined);
              }}
            />
            <OwnPictures
              names={own?.files.map(({ name }) => name)}
              refusal={refusal}
              onTake={take}
              onForget={() => setOwn(undefined)}
            />
            <SchemaForm fields={fields} values={params} onChange={setParams} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} role="status" aria-label={t('operators.trial.result')}>
          {datasetId === undefined && own === undefined ? (
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
              {trial.data.samples.map((sample, index) => (
                <Tried key={`${index} ${sample.filePath}`} sample={sample} />
              ))}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
    </Panel>
  );
}

/** Dropped or chosen pictures; each drop has a number, the key of its cached results. */
type Own = { number: number; files: readonly File[] };

function problemOf(files: readonly File[], t: TFunction): string | undefined {
  if (files.length > triedPictures)
    return t('operators.trial.pictures.many', { count: triedPictures, given: files.length });
  const odd = files.find(({ name }) => !pictureTypes.includes(name.slice(name.lastIndexOf('.') + 1).toLowerCase()));
  if (odd !== undefined) return t('operators.trial.pictures.noPicture', { name: odd.name });
  const large = files.find(({ size }) => size > maxPictureBytes);
  return large === undefined ? undefined : t('operators.trial.pictures.large', { name: large.name });
}

const ownQuery = (operatorId: string, own: Own | undefined, params: Values) =>
  queryOptions({
    queryKey: ['operators', operatorId, 'pictures', own?.number ?? 0, params],
    queryFn: async () => {
      const form = new FormData();
      form.append('request', JSON.stringify({ steps: [{ operatorId, params }] }));
      for (const file of own?.files ?? []) form.append('pictures', file, file.name);
      return dataOf(
        api.POST('/api/v1/data-cleaning/preview/pictures', {
          body: form as never,
          bodySerializer: (body: unknown) => body as FormData,
        }),
      ).then(({ data }) => data);
    },
    enabled: own !== undefined,
    retry: false,
    placeholderData: keepPreviousData,
    // The numbers start again with each visit.
    gcTime: 0,
    staleTime: Infinity,
  });

function OwnPictures({
  names,
  refusal,
  onTake,
  onForget,
}: {
  names: readonly string[] | undefined;
  refusal: string | undefined;
  onTake: (files: readonly File[]) => void;
  onForget: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Input.Wrapper
      label={t('operators.trial.pictures.own')}
      description={t('operators.trial.pictures.ownHelp', { count: triedPictures })}
      error={refusal}
    >
      <Group gap="xs" mt={4}>
        <FileButton multiple accept={pictureTypes.map((type) => `.${type}`).join(',')} onChange={onTake}>
          {(props) => (
            <Button {...props} size="xs" variant="default" leftSection={<IconPhotoSearch size={14} />}>
              {t('operators.trial.pictures.choosing')}
            </Button>
          )}
        </FileButton>
        {names !== undefined && (
          <>
            <Text size="xs" className="wraps" data-verbatim>
              {names.join(', ')}
            </Text>
            <CloseButton size="sm" aria-label={t('operators.trial.pictures.forget')} onClick={onForget} />
          </>
        )}
      </Group>
    </Input.Wrapper>
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
