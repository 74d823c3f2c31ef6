import {
  Accordion,
  Alert,
  Button,
  Grid,
  Group,
  NumberInput,
  Radio,
  SegmentedControl,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DatasetSelect } from './dataset-select.tsx';
import { onErrors, type Draft } from './draft.ts';

const unfoldMs = 250;

/** Source and target of a task; refusals of the service are shown at their fields. */
export function SourceForm(props: {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  nameError: string | undefined;
  sourceError: string | undefined;
  /** Whether a step masks personal data. */
  masks: boolean;
  /** Why the service refused the task. */
  refusal: string | undefined;
}) {
  const { t } = useTranslation();
  const { draft, onChange, refusal } = props;
  const [isOpen, setOpen] = useState(false);
  const refused = /^input\.(prefix|fileTypes|textField)\b/.exec(refusal ?? '')?.[1];
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
  const unclear = unclearTable(refusal ?? '');
  const errorOf = (field: string): string | undefined => (field === refused ? refusal : undefined);
  const textFieldError =
    unclear === undefined
      ? errorOf('textField')
      : t(unclear.columns.length > 0 ? 'cleaning.builder.whichColumn' : 'cleaning.builder.noColumn', {
          path: unclear.path,
        });
  return (
    <section className="panel" aria-label={t('cleaning.builder.what')}>
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
          <TextInput
            label={t('cleaning.builder.name')}
            description={t('cleaning.builder.nameHelp')}
            value={draft.name}
            error={props.nameError}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
          <DatasetSelect
            label={t('cleaning.builder.source')}
            description={t('cleaning.builder.sourceHelp')}
            value={draft.sourceDatasetId}
            error={props.sourceError}
            onChange={(sourceDatasetId) =>
              onChange({ sourceDatasetId: sourceDatasetId ?? '', sourceVersion: undefined })
            }
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <TargetField draft={draft} onChange={onChange} />
        </Grid.Col>
      </Grid>
      <Accordion
        variant="default"
        mt="xs"
        chevronPosition="left"
        value={isOpen ? 'more' : null}
        onChange={(value) => setOpen(value !== null)}
      >
        <Accordion.Item value="more">
          <Accordion.Control>
            <Text size="sm">{t('cleaning.builder.more')}</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Grid gap="sm" ref={fields}>
              <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
                <TextInput
                  label={t('cleaning.builder.prefix')}
                  description={t('cleaning.builder.prefixHelp')}
                  name="prefix"
                  error={errorOf('prefix')}
                  value={draft.prefix}
                  onChange={(event) => onChange({ prefix: event.currentTarget.value })}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
                <TagsInput
                  label={t('cleaning.builder.fileTypes')}
                  description={t('cleaning.builder.fileTypesHelp')}
                  name="fileTypes"
                  error={errorOf('fileTypes')}
                  value={draft.fileTypes}
                  onChange={(fileTypes) => onChange({ fileTypes })}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
                <TextInput
                  label={t('cleaning.builder.textField')}
                  description={t('cleaning.builder.textFieldHelp')}
                  name="textField"
                  error={textFieldError}
                  value={draft.textField}
                  onChange={(event) => onChange({ textField: event.currentTarget.value })}
                />
                {unclear !== undefined && (
                  <Group gap={4} mt={4}>
                    {unclear.columns.map((column) => (
                      <Button
                        key={column}
                        size="compact-xs"
                        variant="light"
                        onClick={() => onChange({ textField: column })}
                      >
                        {t('cleaning.builder.useColumn', { column })}
                      </Button>
                    ))}
                  </Group>
                )}
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
                <NumberInput
                  label={t('cleaning.builder.version')}
                  description={t('cleaning.builder.versionHelp')}
                  min={1}
                  allowDecimal={false}
                  value={draft.sourceVersion ?? ''}
                  onChange={(value) => onChange({ sourceVersion: typeof value === 'number' ? value : undefined })}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <Radio.Group
                  label={t('cleaning.builder.onError')}
                  description={t('cleaning.builder.onErrorHelp')}
                  value={draft.onError}
                  onChange={(value) => onChange({ onError: onErrors.find((known) => known === value) ?? 'SET_ASIDE' })}
                >
                  <Group mt={4}>
                    <Radio value="SET_ASIDE" label={t('cleaning.builder.setAside')} />
                    <Radio value="KEEP" label={t('cleaning.builder.keep')} />
                    <Radio value="DROP" label={t('cleaning.builder.drop')} />
                  </Group>
                </Radio.Group>
                {draft.onError === 'KEEP' && (
                  <Alert
                    mt="xs"
                    color={props.masks ? 'red' : 'orange'}
                    icon={<IconAlertTriangle size={16} />}
                    variant={props.masks ? 'filled' : 'light'}
                    role="alert"
                  >
                    {t(props.masks ? 'cleaning.builder.keepMaskWarning' : 'cleaning.builder.keepWarning')}
                  </Alert>
                )}
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <Textarea
                  label={t('datasets.form.description')}
                  autosize
                  minRows={1}
                  maxLength={500}
                  value={draft.description}
                  onChange={(event) => onChange({ description: event.currentTarget.value })}
                />
              </Grid.Col>
            </Grid>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </section>
  );
}

/** The table without a detectable text column, as named by the refusal. */
function unclearTable(refusal: string): { path: string; columns: string[] } | undefined {
  const [, path, columns] =
    /^input\.textField is needed: (.+) has (?:no string column|the string columns (.+)) and none named text$/s.exec(
      refusal,
    ) ?? [];
  return path === undefined ? undefined : { path, columns: columns?.split(', ') ?? [] };
}

function TargetField({ draft, onChange }: { draft: Draft; onChange: (next: Partial<Draft>) => void }) {
  const { t } = useTranslation();
  const [into, setInto] = useState<'new' | 'existing'>(draft.targetDatasetId === undefined ? 'new' : 'existing');
  return (
    <Stack gap={4}>
      {into === 'new' ? (
        <TextInput
          label={t('cleaning.builder.target')}
          description={t('cleaning.builder.targetHelp')}
          placeholder={t('cleaning.builder.targetDefault')}
          value={draft.targetDatasetName}
          onChange={(event) => onChange({ targetDatasetName: event.currentTarget.value, targetDatasetId: undefined })}
        />
      ) : (
        <DatasetSelect
          label={t('cleaning.builder.target')}
          description={t('cleaning.builder.existingHelp')}
          value={draft.targetDatasetId}
          onChange={(targetDatasetId) => onChange({ targetDatasetId })}
        />
      )}
      <SegmentedControl
        size="xs"
        w="fit-content"
        value={into}
        onChange={(value) => {
          setInto(value === 'existing' ? 'existing' : 'new');
          if (value === 'new') onChange({ targetDatasetId: undefined });
        }}
        data={[
          { value: 'new', label: t('cleaning.builder.newDataset') },
          { value: 'existing', label: t('cleaning.builder.existingDataset') },
        ]}
      />
    </Stack>
  );
}
