import { Button, Collapse, Grid, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../drafts/draft.ts';

const unfoldMs = 250;

/** Why the service refused a task: its original message, and that message in the user's language. */
export type Refusal = { original: string; text: string };

type Props = {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  refusal: Refusal | undefined;
};

/** Which files of the source are read; a refusal is shown at the field it is about. */
export function SourceOptions({ draft, onChange, refusal }: Props) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const refused = /^input\.(prefix|fileTypes|textField)\b/.exec(refusal?.original ?? '')?.[1];
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused === undefined) return;
    setOpen(true);
    // The field can get the focus only once the section is expanded.
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
