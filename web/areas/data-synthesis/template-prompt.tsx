import { SegmentedControl, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../ui/draft.ts';
import { FieldsPanel } from '../../ui/panel.tsx';
import { columnOfKind } from './column-draft.ts';
import { ColumnsEditor } from './columns-editor.tsx';
import { problemAt, type Refusal } from './refusal.ts';
import { undeclaredOf, type TemplateDraft } from './template-draft.ts';
import { TemplateVariables } from './template-variables.tsx';

type Props = { draft: Draft<TemplateDraft>; isFixed: boolean; refusal: Refusal | undefined };

/** What the model is asked, in one prompt or column by column; with the variables. */
export function TemplatePrompt({ draft, isFixed, refusal }: Props) {
  const { t } = useTranslation();
  const { columns, prompt, variables } = draft.values;
  const choose = (way: string): void =>
    draft.set(
      way === 'prompt'
        ? { columns: null, ...(prompt === '' ? { prompt: '{{text}}' } : {}) }
        : { columns: [{ ...columnOfKind('MODEL', { name: 'answer' }), ...(prompt === '' ? {} : { prompt }) }] },
    );
  return (
    <FieldsPanel title={t('synthesis.editor.prompt')}>
      {!isFixed && (
        <SegmentedControl
          aria-label={t('synthesis.columns.how')}
          data={[
            { value: 'prompt', label: t('synthesis.columns.onePrompt') },
            { value: 'columns', label: t('synthesis.columns.title') },
          ]}
          value={columns === null ? 'prompt' : 'columns'}
          onChange={choose}
        />
      )}
      {columns === null ? (
        <OnePrompt draft={draft} isFixed={isFixed} refusal={refusal} />
      ) : (
        <ColumnsEditor
          columns={columns}
          isFixed={isFixed}
          refusal={refusal}
          onChange={(next) => draft.set({ columns: next })}
        />
      )}
      <TemplateVariables
        variables={variables}
        undeclared={undeclaredOf(draft.values)}
        isFixed={isFixed}
        refusal={refusal}
        onChange={(next) => draft.set({ variables: next })}
      />
    </FieldsPanel>
  );
}

function OnePrompt({ draft, isFixed, refusal }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        label={t('synthesis.editor.systemPrompt')}
        autosize
        minRows={2}
        maxRows={10}
        readOnly={isFixed}
        {...draft.text('systemPrompt')}
        error={problemAt(refusal, 'systemPrompt')}
      />
      <Textarea
        label={t('synthesis.editor.userPrompt')}
        description={t('synthesis.editor.userPromptHelp', {
          text: '{{text}}',
          column: '{{row.COLUMN}}',
          file: '{{file.path}}',
        })}
        required={!isFixed}
        autosize
        minRows={6}
        maxRows={24}
        readOnly={isFixed}
        {...draft.text('prompt')}
        error={problemAt(refusal, 'prompt')}
      />
    </>
  );
}
