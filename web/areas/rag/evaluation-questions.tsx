import {
  ActionIcon,
  Alert,
  Button,
  FileButton,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFileSpreadsheet, IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { notifyError } from '../../ui/notify.ts';
import { useModels } from './embedding-model-select.tsx';
import { mostQuestions } from './evaluation.ts';
import { readQuestions, type QuestionProblem } from './question-list.ts';
import { documentsQuery } from './rag-queries.ts';

/** A question with its source, as edited in the form. */
export type AskedQuestion = {
  key: number;
  question: string;
  documentId?: string;
  documentName?: string;
  chunkId?: string;
};
export type Questions = { from: 'generated' | 'given'; count: number; model: string; given: AskedQuestion[] };

export const firstQuestions: Questions = { from: 'generated', count: 50, model: 'builtin-cloze', given: [] };

let keys = 0;

/** The source of the questions: a model makes them from chunks, or each is given with the document that answers it. */
export function EvaluationQuestions(props: {
  knowledgeBaseId: string;
  value: Questions;
  onChange: (value: Questions) => void;
}) {
  const { t } = useTranslation();
  const { knowledgeBaseId, value, onChange } = props;
  const models = useModels('CHAT');
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={t('knowledge.evaluate.questions')}
        data={(['generated', 'given'] as const).map((from) => ({
          value: from,
          label: t(`knowledge.evaluate.from_${from}`),
        }))}
        value={value.from}
        onChange={(from) => onChange({ ...value, from })}
        className="starts"
      />
      {value.from === 'generated' ? (
        <Group gap="sm" align="flex-start">
          <NumberInput
            label={t('knowledge.evaluate.count')}
            min={1}
            max={mostQuestions}
            allowDecimal={false}
            w={140}
            value={value.count}
            onChange={(count) => typeof count === 'number' && count >= 1 && onChange({ ...value, count })}
          />
          <Select
            label={t('knowledge.evaluate.model')}
            description={value.model === 'builtin-cloze' ? t('knowledge.evaluate.clozeHelp') : undefined}
            inputWrapperOrder={['label', 'input', 'description']}
            data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={value.model}
            allowDeselect={false}
            onChange={(model) => model !== null && onChange({ ...value, model })}
          />
        </Group>
      ) : (
        <GivenQuestions
          knowledgeBaseId={knowledgeBaseId}
          questions={value.given}
          onChange={(given) => onChange({ ...value, given })}
        />
      )}
    </Stack>
  );
}

function GivenQuestions(props: {
  knowledgeBaseId: string;
  questions: readonly AskedQuestion[];
  onChange: (questions: AskedQuestion[]) => void;
}) {
  const { t } = useTranslation();
  const { knowledgeBaseId, questions, onChange } = props;
  const [problems, setProblems] = useState<readonly QuestionProblem[]>([]);
  const [isReading, setReading] = useState(false);
  const load = async (file: File | null): Promise<void> => {
    if (file === null) return;
    setReading(true);
    try {
      const found = await findSources(knowledgeBaseId, await file.text());
      const room = mostQuestions - questions.length;
      setProblems([
        ...found.problems,
        ...found.questions.slice(room).map(({ row }) => ({ row, problem: 'too-many' as const })),
      ]);
      onChange([...questions, ...found.questions.slice(0, room).map(({ row: _row, ...one }) => one)]);
    } catch (error) {
      notifyError(error);
    } finally {
      setReading(false);
    }
  };
  const change = (key: number, values: Partial<AskedQuestion>): void =>
    onChange(questions.map((one) => (one.key === key ? { ...one, ...values } : one)));
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {t('knowledge.evaluate.givenHelp')}
      </Text>
      {questions.map((one, index) => (
        <Group key={one.key} gap="xs" wrap="nowrap" align="flex-start" className="question-row">
          <TextInput
            size="xs"
            className="grows"
            aria-label={t('knowledge.evaluate.question', { number: index + 1 })}
            placeholder={t('knowledge.answer.question')}
            maxLength={4000}
            value={one.question}
            onChange={(event) => change(one.key, { question: event.currentTarget.value })}
          />
          {one.chunkId === undefined ? (
            <SourceSelect
              knowledgeBaseId={knowledgeBaseId}
              label={t('knowledge.evaluate.source', { number: index + 1 })}
              value={one}
              onChange={(documentId, documentName) => change(one.key, { documentId, documentName })}
            />
          ) : (
            <Text size="xs" c="dimmed" pt={6}>
              {t('knowledge.evaluate.chunk', { id: one.chunkId })}
            </Text>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('knowledge.evaluate.remove', { number: index + 1 })}
            onClick={() => onChange(questions.filter(({ key }) => key !== one.key))}
          >
            <IconX size={15} />
          </ActionIcon>
        </Group>
      ))}
      {problems.length > 0 && (
        <Alert color="orange" role="alert" py="xs">
          <ul className="plain-list refused-list">
            {problems.map(({ row, problem }) => (
              <li key={`${row} ${problem}`}>{t(`knowledge.evaluate.problems.${problem}`, { row })}</li>
            ))}
          </ul>
        </Alert>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={questions.length >= mostQuestions}
          onClick={() => onChange([...questions, { key: (keys += 1), question: '' }])}
        >
          {t('knowledge.evaluate.addQuestion')}
        </Button>
        <FileButton accept=".csv,.tsv,text/csv" onChange={(file) => void load(file)}>
          {(button) => (
            <Button
              {...button}
              size="xs"
              variant="default"
              loading={isReading}
              leftSection={<IconFileSpreadsheet size={14} />}
            >
              {t('knowledge.evaluate.loadCsv')}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}

/** The document that answers a question. */
function SourceSelect(props: {
  knowledgeBaseId: string;
  label: string;
  value: AskedQuestion;
  onChange: (id: string, name: string) => void;
}) {
  const { t } = useTranslation();
  const [keyword, setKeyword] = useState('');
  const [wanted] = useDebouncedValue(keyword.trim(), 250);
  const documents = useQuery(
    documentsQuery(props.knowledgeBaseId, { size: 50, ...(wanted === '' ? {} : { keyword: wanted }) }),
  );
  const { documentId, documentName } = props.value;
  const found = (documents.data?.content ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isThere = documentId === undefined || found.some(({ value }) => value === documentId);
  return (
    <Select
      size="xs"
      aria-label={props.label}
      placeholder={t('knowledge.evaluate.chooseSource')}
      data={isThere ? found : [{ value: documentId, label: documentName ?? documentId }, ...found]}
      value={documentId ?? null}
      searchable
      allowDeselect={false}
      filter={({ options }) => options}
      onSearchChange={(next) => setKeyword(next === documentName ? '' : next)}
      nothingFoundMessage={t('common.list.nothingFound')}
      onChange={(id, option) => id !== null && props.onChange(id, option?.label ?? id)}
      w={200}
    />
  );
}

/** Reads the questions of a CSV file and looks up their documents by name. */
async function findSources(knowledgeBaseId: string, csv: string) {
  const { rows, problems } = readQuestions(csv);
  const ids = new Map<string, string | undefined>();
  const questions: (AskedQuestion & { row: number })[] = [];
  const unknown: QuestionProblem[] = [];
  for (const [index, { question, document, chunkId }] of rows.entries()) {
    const own = { key: (keys += 1), question, row: index + 2 };
    if (document === undefined) {
      questions.push({ ...own, ...(chunkId === undefined ? {} : { chunkId }) });
      continue;
    }
    if (!ids.has(document)) {
      const { data } = await dataOf(
        api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents', {
          params: { path: { knowledgeBaseId }, query: { keyword: document.slice(0, 200), size: 1000 } },
        }),
      );
      ids.set(document, data.content.find(({ name }) => name === document)?.id);
    }
    const documentId = ids.get(document);
    if (documentId === undefined) unknown.push({ row: own.row, problem: 'no-document' });
    else questions.push({ ...own, documentId, documentName: document });
  }
  return { questions, problems: [...problems, ...unknown] };
}
