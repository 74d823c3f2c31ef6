import { Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningInspection } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { useSay } from '../../../messages/sentences.ts';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import type { Draft } from '../drafts/draft.ts';
import { isRecording } from './fitting-operators.ts';
import { MoreSources } from './more-sources.tsx';
import { SourceOptions, type Refusal } from './source-options.tsx';
import { chooseColumns, chosenFor, groupTables, isUnclear, leaveOut } from './source-tables.ts';
import { TableChoice } from './table-choice.tsx';

const shownGroups = 4;
const namedFiles = 5;

/** The most common encodings of files without a byte order mark; through the API a task may set any other. */
const commonEncodings = [
  'utf-8',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'windows-1252',
  'windows-1251',
  'iso-8859-15',
  'utf-16le',
];

type Props = {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  inspection: UseQueryResult<CleaningInspection>;
  /** Whether any step processes pictures or recordings; otherwise they are skipped. */
  usesMedia: boolean;
  sourceError: string | undefined;
  columnsError: string | undefined;
  refusal: Refusal | undefined;
  onMix: (() => void) | undefined;
};

/** The source: what it contains, the text column of each table, and what can't be read, before any step. */
export function SourcePanel({
  draft,
  onChange,
  inspection,
  usesMedia,
  sourceError,
  columnsError,
  refusal,
  onMix,
}: Props) {
  const { t } = useTranslation();
  return (
    <section className="panel builder-panel" aria-label={t('cleaning.source.title')}>
      <Stack gap="xs">
        <DatasetSelect
          label={t('cleaning.builder.source')}
          description={t('cleaning.builder.sourceHelp')}
          value={draft.sourceDatasetId}
          error={sourceError}
          onChange={(sourceDatasetId) =>
            onChange({
              sourceDatasetId: sourceDatasetId ?? '',
              sourceVersion: undefined,
              sourceFolder: '',
              // They name files of the previous dataset.
              textFields: [],
              exclude: [],
            })
          }
        />
        <MoreSources draft={draft} onChange={onChange} folders={inspection.data?.folders ?? []} onMix={onMix} />
        {inspection.isError && <ErrorPanel error={inspection.error} onRetry={() => void inspection.refetch()} />}
        {draft.sourceDatasetId !== '' && inspection.isPending && <Skeleton height={60} />}
        {inspection.data !== undefined && (
          <Findings draft={draft} onChange={onChange} usesMedia={usesMedia} found={inspection.data} />
        )}
        {draft.where.length > 0 && (
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <Text size="sm" className="wraps">
              {t('cleaning.source.where', { conditions: draft.where.map(conditionText).join(', ') })}
            </Text>
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange({ where: [] })}>
              {t('cleaning.source.allRows')}
            </Button>
          </Group>
        )}
        {columnsError !== undefined && (
          <Text size="sm" c="red" role="alert">
            {columnsError}
          </Text>
        )}
        <SourceOptions draft={draft} onChange={onChange} refusal={refusal} />
      </Stack>
    </section>
  );
}

/** A condition on rows, in the API's notation: `lang EQ "en"`. */
function conditionText({ field, op, value }: Draft['where'][number]): string {
  return value === undefined ? `${field} ${op}` : `${field} ${op} ${JSON.stringify(value)}`;
}

const shownKinds = ['TABLE', 'DOCUMENT', 'TEXT', 'COMPRESSED', 'IMAGES', 'RECORDINGS', 'UNSUPPORTED'] as const;
type ShownKind = (typeof shownKinds)[number];

function kindOf({ kind, fileType }: CleaningInspection['fileTypes'][number]): ShownKind {
  if (kind !== 'MEDIA') return kind;
  return isRecording(fileType) ? 'RECORDINGS' : 'IMAGES';
}

type FindingsProps = Pick<Props, 'draft' | 'onChange' | 'usesMedia'> & { found: CleaningInspection };

function Findings({ draft, onChange, usesMedia, found }: FindingsProps) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [showsAll, setShowsAll] = useState(false);
  const { tables, fileTypes, uncheckedTables } = found;
  const groups = groupTables(tables);
  const shown = showsAll ? groups : groups.slice(0, Math.max(shownGroups, groups.filter(isUnclear).length));
  const files = (kind: ShownKind): number =>
    fileTypes.filter((type) => kindOf(type) === kind).reduce((sum, type) => sum + type.files, 0);
  const kinds = shownKinds.filter((kind) => files(kind) > 0);
  // Without any step, or if the source holds nothing else, nobody has chosen to skip them.
  const isSkipped = (kind: ShownKind): boolean =>
    (kind === 'IMAGES' || kind === 'RECORDINGS') && !usesMedia && (draft.steps.length > 0 || kinds.length > 1);
  return (
    <>
      <Text size="sm" role="status">
        {kinds.length === 0
          ? t('cleaning.source.nothing')
          : kinds
              .map((kind) => {
                const words = { count: files(kind), files: formatCount(files(kind), locale) };
                const counted = t(`cleaning.source.kinds.${kind}`, words);
                return isSkipped(kind) ? t('cleaning.source.skipped', { files: counted }) : counted;
              })
              .join(' · ')}
      </Text>
      {groups.length > 0 && (
        <Stack gap={6} component="ul" className="plain-order" aria-label={t('cleaning.source.tables')}>
          {shown.map((group) => (
            <TableChoice
              key={`${group.label} ${group.tables[0]?.filePath}`}
              group={group}
              chosen={chosenFor(draft, group)}
              onChoose={(fields) => onChange({ textFields: chooseColumns(draft.textFields, tables, group, fields) })}
              onLeaveOut={(isOut) => onChange({ exclude: leaveOut(draft.exclude, tables, group, isOut) })}
            />
          ))}
        </Stack>
      )}
      {shown.length < groups.length && (
        <Button size="compact-xs" variant="subtle" w="fit-content" onClick={() => setShowsAll(true)}>
          {t('cleaning.source.moreTables', { count: groups.length - shown.length })}
        </Button>
      )}
      {uncheckedTables > 0 && (
        <Text size="xs" c="dimmed">
          {t('cleaning.source.unchecked', { count: uncheckedTables, tables: formatCount(uncheckedTables, locale) })}
        </Text>
      )}
      <Unreadable found={found} />
      <Encodings draft={draft} onChange={onChange} found={found} />
    </>
  );
}

/** Files that will fail, by type or because of their content, and files that are skipped. */
function Unreadable({ found: { fileTypes, texts } }: { found: CleaningInspection }) {
  const { t } = useTranslation();
  const say = useSay();
  const unsupported = fileTypes.filter(({ kind }) => kind === 'UNSUPPORTED');
  const unreadable = texts.filter(({ problem }) => problem !== null);
  const byType = unsupported.map(({ fileType, files }) => `.${fileType} (${files})`).join(', ');
  if (unsupported.length + unreadable.length === 0) return null;
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" role="note" aria-label={t('cleaning.source.unreadable')}>
      <IconAlertTriangle size={15} className="warns" aria-hidden />
      <Stack gap={2}>
        {unsupported.length > 0 && (
          <Text size="sm">
            {t('cleaning.source.unsupported', {
              count: unsupported.reduce((sum, { files }) => sum + files, 0),
              types: byType,
            })}
          </Text>
        )}
        {unreadable.slice(0, namedFiles).map((file) => (
          <Text key={file.filePath} size="sm" className="wraps">
            {file.filePath}: {say(file, 'problem')}
          </Text>
        ))}
        {unreadable.length > namedFiles && (
          <Text size="sm">{t('cleaning.source.moreFiles', { count: unreadable.length - namedFiles })}</Text>
        )}
      </Stack>
    </Group>
  );
}

/** The files whose encoding is a guess, and the encoding that the task sets for all of them. */
function Encodings({ draft, onChange, found: { tables, texts } }: Omit<FindingsProps, 'usesMedia'>) {
  const { t } = useTranslation();
  const guessed = [...tables.filter(({ isExcluded }) => !isExcluded), ...texts].filter(
    ({ certainty }) => certainty === 'LIKELY' || certainty === 'UNSURE',
  );
  if (guessed.length === 0 && draft.encoding === '') return null;
  const known = draft.encoding === '' || commonEncodings.includes(draft.encoding);
  return (
    <div>
      <Select
        label={t('cleaning.source.encoding')}
        description={
          guessed.length === 0
            ? t('cleaning.source.encodingSet')
            : t('cleaning.source.guessed', { count: guessed.length })
        }
        placeholder={t('cleaning.source.encodingGuess')}
        data={known ? commonEncodings : [draft.encoding, ...commonEncodings]}
        value={draft.encoding === '' ? null : draft.encoding}
        onChange={(encoding) => onChange({ encoding: encoding ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('cleaning.source.encodingClear') }}
      />
      <ul className="plain-list">
        {guessed.slice(0, namedFiles).map(({ filePath, encoding, certainty }) => (
          <li key={filePath} className="wraps">
            {filePath}: {encoding?.toUpperCase()}
            {certainty === 'UNSURE' && ` (${t('cleaning.source.unsure')})`}
          </li>
        ))}
        {guessed.length > namedFiles && (
          <li>{t('cleaning.source.moreFiles', { count: guessed.length - namedFiles })}</li>
        )}
      </ul>
    </div>
  );
}
