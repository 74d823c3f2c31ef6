import { Select, SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Folded } from '../../ui/folded.tsx';
import { ChecksFields, recordFieldsOf } from './checks-fields.tsx';
import { codeLanguages } from './column-draft.ts';
import { ColumnModel, ColumnNumber, ColumnSubjects, ColumnText, without, type ColumnProps } from './column-inputs.tsx';
import { ColumnSampler } from './column-sampler.tsx';
import { ParametersFields } from './parameters-fields.tsx';
import { SchemaField } from './schema-field.tsx';

/** The fields that a kind of column has besides those of every column. */
export function ColumnKindFields(props: ColumnProps) {
  switch (props.column.kind) {
    case 'EXPRESSION':
      return <ColumnText {...props} name="expression" isLong />;
    case 'MODEL':
      return <ColumnAnswer {...props} />;
    case 'JUDGE':
      return <ColumnJudge {...props} />;
    case 'VALIDATOR':
      return <ColumnValidator {...props} />;
    case 'SAMPLER':
      return <ColumnSampler {...props} />;
  }
}

/** What the model is asked, the form of its reply, and how that is checked. */
function ColumnAnswer(props: ColumnProps) {
  const { t } = useTranslation();
  const { at, column, isFixed, refusal, problem, onChange } = props;
  return (
    <>
      <ColumnText {...props} name="prompt" isLong />
      <ColumnText {...props} name="systemPrompt" isLong isOptional />
      <SchemaField
        label={t('synthesis.columns.fields.outputSchema')}
        withFields
        value={column.outputSchema}
        isFixed={isFixed}
        error={problem('outputSchema')}
        onChange={(next) =>
          onChange(next === undefined ? without(column, 'outputSchema') : { ...column, outputSchema: next })
        }
      />
      <ColumnModel {...props} />
      <Folded label={t('synthesis.columns.more')}>
        <ChecksFields
          preset={{ refusals: true, leaks: true, minCharacters: 1 }}
          value={column.checks ?? {}}
          fields={recordFieldsOf({ outputSchema: column.outputSchema })}
          refusal={refusal}
          at={`columns[${at}].checks`}
          disabled={isFixed}
          onChange={(checks) => onChange({ ...column, checks })}
        />
        <ParametersFields
          value={column.parameters ?? {}}
          isFixed={isFixed}
          refusal={refusal}
          at={`columns[${at}].parameters`}
          onChange={(parameters) => onChange({ ...column, parameters })}
        />
      </Folded>
    </>
  );
}

function ColumnJudge(props: ColumnProps) {
  return (
    <>
      <ColumnSubjects {...props} />
      <ColumnText {...props} name="rubric" isLong />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <ColumnNumber {...props} name="minScore" min={0} max={10} />
        <ColumnModel {...props} />
      </SimpleGrid>
    </>
  );
}

function ColumnValidator(props: ColumnProps) {
  const { t } = useTranslation();
  const { column, isFixed, problem, onChange } = props;
  return (
    <>
      <ColumnSubjects {...props} />
      <ColumnText {...props} name="pattern" isOptional />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <ColumnNumber {...props} name="minCharacters" min={0} max={1_000_000} />
        <ColumnNumber {...props} name="maxCharacters" min={0} max={1_000_000} />
        <Select
          label={t('synthesis.columns.fields.code')}
          data={[...codeLanguages]}
          value={column.code ?? null}
          clearable
          disabled={isFixed}
          error={problem('code')}
          onChange={(next) => {
            const code = codeLanguages.find((each) => each === next);
            onChange(code === undefined ? without(column, 'code') : { ...column, code });
          }}
        />
      </SimpleGrid>
      <SchemaField
        label={t('synthesis.columns.fields.schema')}
        value={column.schema}
        isFixed={isFixed}
        error={problem('schema')}
        onChange={(next) => onChange(next === undefined ? without(column, 'schema') : { ...column, schema: next })}
      />
    </>
  );
}
