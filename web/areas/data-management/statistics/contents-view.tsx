import { Alert, Anchor, Box, Code, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import type { ContentImages, ContentTables, ContentTexts, DatasetContents } from '../../../api/schema.ts';
import { Bytes, Count, useLocale } from '../../../ui/figures.tsx';
import { formatBytes, formatCount, formatShare } from '../../../ui/format.ts';
import { ShareBars } from '../../../ui/share-bars.tsx';
import { Stat } from '../../../ui/stat.tsx';
import { DistributionChart } from './distribution-chart.tsx';

const shownLanguages = 10;
const shownColumns = 200;

type Props = { datasetId: string; version: number | undefined; contents: DatasetContents };

/** The counts: kinds and duplicates of files, texts, columns of tables, pictures, and what could not be counted. */
export function ContentsView({ datasetId, version, contents }: Props) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { kinds, repeatedFiles, texts, table, images, failed } = contents;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <section className="panel">
          <Title order={3} size="h6" mb="xs">
            {t('viewer.statistics.kinds')}
          </Title>
          <ShareBars
            label={t('viewer.statistics.kinds')}
            shares={kinds.map(({ kind, files, sizeBytes }) => ({
              key: kind,
              label: (
                <>
                  {t(`viewer.statistics.kind.${kind}`)}{' '}
                  <Text span size="xs" c="dimmed">
                    <Bytes value={sizeBytes} />
                  </Text>
                </>
              ),
              count: files,
            }))}
          />
        </section>
        <Stat
          label={t('viewer.statistics.repeatedFiles')}
          hint={t('viewer.statistics.repeatedFilesHint', { size: formatBytes(repeatedFiles.sizeBytes, locale) })}
        >
          <Count value={repeatedFiles.files} />
        </Stat>
      </SimpleGrid>
      {texts !== null && <Texts texts={texts} />}
      {table !== null && <Tables table={table} />}
      {images !== null && <Images images={images} />}
      {failed.files > 0 && <Failures datasetId={datasetId} version={version} failed={failed} />}
    </Stack>
  );
}

function Texts({ texts }: { texts: ContentTexts }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const names = new Intl.DisplayNames([locale], { type: 'language' });
  const shown = texts.languages.slice(0, shownLanguages);
  const rest = texts.languages.slice(shownLanguages).reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-label={t('viewer.statistics.texts')}>
      <Title order={2} size="h5" mb={texts.fields.length > 0 ? 0 : 'xs'}>
        {t('viewer.statistics.texts')}
      </Title>
      <TextFields texts={texts} />
      <Stack>
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Stat label={t('viewer.statistics.textCount')}>
            <Count value={texts.texts} />
          </Stat>
          <Stat label={t('viewer.statistics.tokenCount')} hint={t('viewer.statistics.tokenHint')}>
            <Count value={texts.tokens.total} />
          </Stat>
          <Stat label={t('viewer.statistics.emptyTexts')}>
            <Count value={texts.empty} />
          </Stat>
          <Stat label={t('viewer.statistics.repeatedTexts')} hint={t('viewer.statistics.repeatedTextsHint')}>
            <Count value={texts.repeated} />
          </Stat>
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <DistributionChart label={t('viewer.statistics.lengths')} distribution={texts.characters} />
          <DistributionChart label={t('viewer.statistics.tokens')} distribution={texts.tokens} />
          <section className="panel">
            <Title order={3} size="h6" mb="xs">
              {t('viewer.statistics.languages')}
            </Title>
            <ShareBars
              label={t('viewer.statistics.languages')}
              shares={[
                ...shown.map(({ language, count }) => ({
                  key: language,
                  label: language === 'und' ? t('common.language.undetermined') : (names.of(language) ?? language),
                  count,
                })),
                ...(rest > 0 ? [{ key: ' others', label: t('datasets.overview.others'), count: rest }] : []),
              ]}
            />
          </section>
        </SimpleGrid>
      </Stack>
    </section>
  );
}

/** Where the texts of tables were found, and which of these fields a task has to name explicitly. */
function TextFields({ texts: { fields, otherTables } }: { texts: ContentTexts }) {
  const { t } = useTranslation();
  const locale = useLocale();
  if (fields.length === 0) return null;
  return (
    <Box mb="xs">
      <Text size="sm" c="dimmed">
        {t('viewer.statistics.fields')}{' '}
        {fields.map(({ field, isDetected, tables }, index) => (
          <Fragment key={`${field} ${isDetected}`}>
            {index > 0 && ', '}
            <Code data-verbatim className="wraps">
              {field}
            </Code>
            {` (${t('viewer.statistics.fieldTables', { count: tables, shown: formatCount(tables, locale) })}${isDetected ? '' : ` *`})`}
          </Fragment>
        ))}
        {otherTables > 0 &&
          `, ${t('viewer.statistics.otherFields', { count: otherTables, shown: formatCount(otherTables, locale) })}`}
      </Text>
      {fields.some(({ isDetected }) => !isDetected) && (
        <Text size="xs" c="dimmed">
          {t('viewer.statistics.chosenField')}
        </Text>
      )}
    </Box>
  );
}

function Tables({ table }: { table: ContentTables }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const share = (count: number, rows: number): string => (rows === 0 ? '–' : formatShare(count / rows, locale));
  const more = Math.max(0, table.columns.length - shownColumns) + table.omittedColumns;
  return (
    <section aria-label={t('viewer.statistics.tables')}>
      <Title order={2} size="h5">
        {t('viewer.statistics.tables')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('viewer.rows.all', { count: table.rows, shown: formatCount(table.rows, locale) })}
        {table.unreadable > 0 &&
          ` · ${t('viewer.rows.unreadable', { count: table.unreadable, shown: formatCount(table.unreadable, locale) })}`}
      </Text>
      <div className="table-frame" tabIndex={0}>
        <Table aria-label={t('viewer.statistics.columns')}>
          <Table.Thead>
            <Table.Tr>
              {(['column', 'type', 'files', 'nulls', 'distinct'] as const).map((one) => (
                <Table.Th key={one}>{t(`viewer.statistics.head.${one}`)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.columns.slice(0, shownColumns).map(({ name, type, files, rows, nulls, distinct, textFiles }) => (
              <Table.Tr key={`${name} ${type}`}>
                <Table.Td className="wraps" data-verbatim>
                  {name}
                  {textFiles > 0 && (
                    <Text span size="xs" c="dimmed" title={t('viewer.statistics.textColumnHelp')}>
                      {` · ${t('viewer.statistics.textColumn', { count: textFiles, shown: formatCount(textFiles, locale) })}`}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className="wraps" data-verbatim>
                  {type}
                </Table.Td>
                <Table.Td className="figure">{formatCount(files, locale)}</Table.Td>
                <Table.Td className="figure">{share(nulls, rows)}</Table.Td>
                <Table.Td className="figure">
                  {distinct === null
                    ? t('viewer.statistics.perFile')
                    : `${formatCount(distinct, locale)} · ${share(distinct, rows - nulls)}`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {t('viewer.query.moreColumns', { count: more })}
        </Text>
      )}
    </section>
  );
}

function Images({ images }: { images: ContentImages }) {
  const { t } = useTranslation();
  const { formats, aspects, resolutions, otherResolutions } = images;
  const bars = [
    ['formats', formats.map(({ format, count }) => ({ key: format, label: format.toUpperCase(), count }))],
    [
      'aspects',
      aspects
        .filter(({ count }) => count > 0)
        .map(({ aspect, count }) => ({ key: aspect, label: t(`viewer.statistics.aspect.${aspect}`), count })),
    ],
    [
      'resolutions',
      [
        ...resolutions.map(({ width, height, count }) => {
          const size = `${width} × ${height}`;
          return { key: size, label: size, count };
        }),
        ...(otherResolutions > 0
          ? [{ key: ' others', label: t('datasets.overview.others'), count: otherResolutions }]
          : []),
      ],
    ],
  ] as const;
  return (
    <section aria-label={t('viewer.statistics.images')}>
      <Title order={2} size="h5" mb="xs">
        {t('viewer.statistics.images')}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {bars.map(([name, shares]) => (
          <section className="panel" key={name}>
            <Title order={3} size="h6" mb="xs">
              {t(`viewer.statistics.${name}`)}
            </Title>
            <ShareBars label={t(`viewer.statistics.${name}`)} shares={shares} />
          </section>
        ))}
        <DistributionChart label={t('viewer.statistics.width')} distribution={images.width} />
        <DistributionChart label={t('viewer.statistics.height')} distribution={images.height} />
      </SimpleGrid>
    </section>
  );
}

function Failures({ datasetId, version, failed }: Omit<Props, 'contents'> & { failed: DatasetContents['failed'] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const say = useSay();
  return (
    <Alert
      color="orange"
      title={t('viewer.statistics.failed', { count: failed.files, shown: formatCount(failed.files, locale) })}
    >
      <ul className="statistics-failures">
        {failed.shown.map((file) => (
          <li key={file.fileId}>
            <Anchor
              component={Link}
              to="/datasets/$datasetId/files/$fileId"
              params={{ datasetId, fileId: file.fileId } as never}
              search={{ version } as never}
              size="sm"
              className="wraps"
              data-verbatim
            >
              {file.filePath}
            </Anchor>
            <Text size="xs">{say(file, 'reason')}</Text>
          </li>
        ))}
      </ul>
      {failed.files > failed.shown.length && (
        <Text size="xs">{t('viewer.statistics.moreFailed', { count: failed.files - failed.shown.length })}</Text>
      )}
    </Alert>
  );
}
