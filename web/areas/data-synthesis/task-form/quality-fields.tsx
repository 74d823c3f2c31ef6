import { NumberInput, Select, SimpleGrid, Switch, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SynthesisJudge, SynthesisTemplate } from '../../../api/schema.ts';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { ChecksFields, presetChecks, recordFieldsOf } from '../checks-fields.tsx';
import { problemAt, type Refusal } from '../refusal.ts';
import { useChatModels } from '../use-chat-models.ts';
import type { TaskDraft } from './task-draft.ts';

type Props = { draft: Draft<TaskDraft>; refusal: Refusal | undefined };

/** How bad records are handled: checks, and a judge. */
export function QualityFields({ draft, refusal, template }: Props & { template: SynthesisTemplate | undefined }) {
  const { t } = useTranslation();
  const { checks, judge } = draft.values;
  return (
    <FieldsPanel title={t('synthesis.form.checks')}>
      <ChecksFields
        preset={{ ...presetChecks(template?.type ?? 'CUSTOM'), ...template?.checks }}
        value={checks}
        onChange={(next) => draft.set({ checks: next })}
        fields={recordFieldsOf(template ?? {})}
        refusal={refusal}
      />
      <Switch
        label={t('synthesis.form.judge')}
        description={t('synthesis.form.judgeHelp')}
        checked={judge !== undefined}
        onChange={(event) =>
          draft.set({
            judge: event.currentTarget.checked ? { rubric: t('synthesis.form.rubricPreset'), minScore: 6 } : undefined,
          })
        }
      />
      {judge !== undefined && (
        <JudgeFields judge={judge} refusal={refusal} onChange={(next) => draft.set({ judge: next })} />
      )}
    </FieldsPanel>
  );
}

function JudgeFields(props: {
  judge: SynthesisJudge;
  refusal: Refusal | undefined;
  onChange: (judge: SynthesisJudge) => void;
}) {
  const { t } = useTranslation();
  const { judge, refusal, onChange } = props;
  const models = useChatModels();
  return (
    <>
      <Textarea
        label={t('synthesis.form.rubric')}
        value={judge.rubric}
        required
        autosize
        minRows={2}
        maxRows={10}
        error={problemAt(refusal, 'judge.rubric')}
        onChange={(event) => onChange({ ...judge, rubric: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label={t('synthesis.form.minScore')}
          value={judge.minScore}
          min={0}
          max={10}
          step={0.5}
          onChange={(next) => typeof next === 'number' && onChange({ ...judge, minScore: next })}
        />
        <Select
          label={t('synthesis.form.judgeModel')}
          placeholder={t('synthesis.form.sameModel')}
          data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={judge.model ?? null}
          clearable
          error={problemAt(refusal, 'judge.model')}
          onChange={(id) =>
            onChange({ rubric: judge.rubric, minScore: judge.minScore, ...(id === null ? {} : { model: id }) })
          }
        />
      </SimpleGrid>
    </>
  );
}
