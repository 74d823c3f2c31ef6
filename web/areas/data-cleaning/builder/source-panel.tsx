import {
  Button,
  Collapse,
  Grid,
  Group,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningInspection } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { useSay } from '../../../messages/sentences.ts';
import { DatasetSelect } from './dataset-select.tsx';
import type { Draft } from './draft.ts';
import { chooseColumns, chosenFor, groupTables, isUnclear, leaveOut } from './source-tables.ts';
import { TableChoice } from './table-choice.tsx';

const unfoldMs = 250;
const shownGroups = 6;
const namedFiles = 5;

/** Encodings that files without a mark are most often in; each can also be typed. */
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
  sourceError: string | undefined;
  columnsError: string | undefined;
  /** Why the service refused the task: as it says it, and in the user's language. */
  refusal: { original: string; text: string } | undefined;
};

/** The source: what it contains, the text column of each table, and what can't be read, before any step. */
export function SourcePanel({ draft, onChange, inspection, sourceError, columnsError, refusal }: Props) {
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
              // They name files of the other dataset.
              textFields: [],
              exclude: [],
            })
          }
        />
        {inspection.isError && <ErrorPanel error={inspection.error} onRetry={() => void inspection.refetch()} />}
        {draft.sourceDatasetId !== '' && inspection.isPending && <Skeleton height={60} />}
        {inspection.data !== undefined && <Findings draft={draft} onChange={onChange} found={inspection.data} />}
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

type FindingsProps = Pick<Props, 'draft' | 'onChange'> & { found: CleaningInspection };

function Findings({ draft, onChange, found }: FindingsProps) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [showsAll, setShowsAll] = useState(false);
  const { tables, fileTypes, uncheckedTables } = found;
  const groups = groupTables(tables);
  const shown = showsAll ? groups : groups.slice(0, Math.max(shownGroups, groups.filter(isUnclear).length));
  const files = (kind: CleaningInspection['fileTypes'][number]['kind']): number =>
    fileTypes.filter((type) => type.kind === kind).reduce((sum, type) => sum + type.files, 0);
  const kinds = (['TABLE', 'DOCUMENT', 'TEXT', 'COMPRESSED', 'MEDIA', 'UNSUPPORTED'] as const).filter(
    (kind) => files(kind) > 0,
  );
  return (
    <>
      <Text size="sm" role="status">
        {kinds.length === 0
          ? t('cleaning.source.nothing')
          : kinds
              .map((kind) =>
                t(`cleaning.source.kinds.${kind}`, { count: files(kind), files: formatCount(files(kind), locale) }),
              )
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

/** Files that will fail, by type or by their content, and those that are skipped. */
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
function Encodings({ draft, onChange, found: { tables, texts } }: FindingsProps) {
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

function SourceOptions({ draft, onChange, refusal }: Pick<Props, 'draft' | 'onChange' | 'refusal'>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const refused = /^input\.(prefix|fileTypes|textField)\b/.exec(refusal?.original ?? '')?.[1];
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused === undefined) return;
    setOpen(true);
    // It can get the focus only once it is expanded.
    const timer = setTimeout(() => {
      const field = fields.current?.querySelector<HTMLInputElement>(`input[name=${refused}]`);
      field?.focus({ preventScroll: true });
      field?.scrollIntoView({ block: 'center' });
    }, unfoldMs);
    return () => clearTimeout(timer);
  }, [refused]);
  const errorOf = (field: string): string | undefined => (field === refused ? refusal?.text : undefined);
  return (
    <div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('cleaning.source.options')}
      </Button>
      <Collapse expanded={isOpen}>
        <Grid gap="sm" ref={fields} mt={4}>
          <Grid.Col span={{ base: 12, xl: 6 }}>
            <TextInput
              label={t('cleaning.builder.prefix')}
              description={t('cleaning.builder.prefixHelp')}
              name="prefix"
              error={errorOf('prefix')}
              value={draft.prefix}
              onChange={(event) => onChange({ prefix: event.currentTarget.value })}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, xl: 6 }}>
            <TagsInput
              label={t('cleaning.builder.fileTypes')}
              description={t('cleaning.builder.fileTypesHelp')}
              name="fileTypes"
              error={errorOf('fileTypes')}
              value={draft.fileTypes}
              onChange={(fileTypes) => onChange({ fileTypes })}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, xl: 6 }}>
            <TextInput
              label={t('cleaning.builder.textField')}
              description={t('cleaning.builder.textFieldHelp')}
              name="textField"
              error={errorOf('textField')}
              value={draft.textField}
              onChange={(event) => onChange({ textField: event.currentTarget.value })}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, xl: 6 }}>
            <NumberInput
              label={t('cleaning.builder.version')}
              description={t('cleaning.builder.versionHelp')}
              min={1}
              allowDecimal={false}
              value={draft.sourceVersion ?? ''}
              onChange={(value) => onChange({ sourceVersion: typeof value === 'number' ? value : undefined })}
            />
          </Grid.Col>
          <Grid.Col span={12}>
            <TagsInput
              label={t('cleaning.source.exclude')}
              description={t('cleaning.source.excludeHelp')}
              splitChars={[]}
              value={draft.exclude}
              onChange={(exclude) => onChange({ exclude })}
            />
          </Grid.Col>
        </Grid>
      </Collapse>
    </div>
  );
}
