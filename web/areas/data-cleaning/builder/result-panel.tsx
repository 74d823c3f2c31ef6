import {
  Alert,
  Button,
  Collapse,
  Group,
  NumberInput,
  Radio,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import { onErrors, outputFormats, type Draft } from '../drafts/draft.ts';

type Props = {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  /** The name of the new dataset if none is given. */
  proposedTarget: string;
  /** Whether a step masks personal data. */
  masks: boolean;
};

/** Where the result is written, in which format, and what happens to failed samples. */
export function ResultPanel({ draft, onChange, proposedTarget, masks }: Props) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(
    draft.onError !== 'SET_ASIDE' || draft.description !== '' || draft.outputFormat !== 'SOURCE',
  );
  return (
    <section className="panel builder-panel" aria-label={t('cleaning.builder.target')}>
      <Stack gap="xs">
        <TargetField draft={draft} onChange={onChange} proposed={proposedTarget} />
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          w="fit-content"
          leftSection={isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('cleaning.builder.more')}
        </Button>
        <Collapse expanded={isOpen}>
          <Stack gap="xs">
            <OutputFields draft={draft} onChange={onChange} />
            <Radio.Group
              label={t('cleaning.builder.onError')}
              description={t('cleaning.builder.onErrorHelp')}
              value={draft.onError}
              onChange={(value) => onChange({ onError: onErrors.find((known) => known === value) ?? 'SET_ASIDE' })}
            >
              <Stack gap={6} mt={4}>
                <Radio value="SET_ASIDE" label={t('cleaning.builder.setAside')} />
                <Radio value="KEEP" label={t('cleaning.builder.keep')} />
                <Radio value="DROP" label={t('cleaning.builder.drop')} />
              </Stack>
            </Radio.Group>
            {draft.onError === 'KEEP' && (
              <Alert
                color={masks ? 'red' : 'orange'}
                icon={<IconAlertTriangle size={16} />}
                variant={masks ? 'filled' : 'light'}
                role="alert"
              >
                {t(masks ? 'cleaning.builder.keepMaskWarning' : 'cleaning.builder.keepWarning')}
              </Alert>
            )}
            <Textarea
              label={t('datasets.form.description')}
              autosize
              minRows={1}
              maxLength={500}
              value={draft.description}
              onChange={(event) => onChange({ description: event.currentTarget.value })}
            />
          </Stack>
        </Collapse>
      </Stack>
    </section>
  );
}

const outputLabels = {
  SOURCE: 'cleaning.builder.outputFormats.SOURCE',
  PARQUET: 'cleaning.builder.outputFormats.PARQUET',
  JSONL: 'cleaning.builder.outputFormats.JSONL',
  JSONL_ZST: 'cleaning.builder.outputFormats.JSONL_ZST',
} as const;

function OutputFields({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const { t } = useTranslation();
  const split = draft.steps.find(({ operatorId }) => operatorId === 'split-writer')?.params['column'];
  const splitColumn = typeof split === 'string' ? split : undefined;
  return (
    <Group gap="xs" align="flex-start">
      <Select
        label={t('cleaning.builder.output')}
        description={t(
          draft.outputFormat === 'SOURCE' ? 'cleaning.builder.outputSourceHelp' : 'cleaning.builder.outputHelp',
        )}
        allowDeselect={false}
        flex="1 1 220px"
        value={draft.outputFormat}
        onChange={(value) =>
          onChange({ outputFormat: outputFormats.find((known) => known === value) ?? draft.outputFormat })
        }
        data={outputFormats.map((format) => ({ value: format, label: t(outputLabels[format]) }))}
      />
      {draft.outputFormat !== 'SOURCE' && (
        <NumberInput
          label={t('cleaning.builder.shardMiB')}
          description={t('cleaning.builder.shardMiBHelp')}
          flex="1 1 160px"
          min={1}
          max={16_384}
          allowDecimal={false}
          clampBehavior="strict"
          value={draft.shardMiB}
          onChange={(value) => {
            if (typeof value === 'number' && value >= 1) onChange({ shardMiB: value });
          }}
        />
      )}
      {draft.outputFormat !== 'SOURCE' && (
        <TextInput
          label={t('cleaning.builder.folderBy')}
          description={t('cleaning.builder.folderByHelp')}
          flex="1 1 220px"
          maxLength={200}
          placeholder={splitColumn}
          value={draft.folderBy}
          onChange={(event) => onChange({ folderBy: event.currentTarget.value })}
        />
      )}
    </Group>
  );
}

function TargetField({ draft, onChange, proposed }: Pick<Props, 'draft' | 'onChange'> & { proposed: string }) {
  const { t } = useTranslation();
  const [into, setInto] = useState<'new' | 'existing'>(draft.targetDatasetId === undefined ? 'new' : 'existing');
  return (
    <Stack gap={4}>
      {into === 'new' ? (
        <TextInput
          label={t('cleaning.builder.target')}
          description={t('cleaning.builder.targetHelp')}
          placeholder={proposed}
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
