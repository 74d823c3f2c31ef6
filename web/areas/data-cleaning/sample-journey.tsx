import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operator, PreviewPicture, SampleTrace } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { MarkedText } from '../../ui/marked-text.tsx';
import { PictureChange } from '../../ui/picture-change.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';

type StepTrace = SampleTrace['steps'][number];
type Shown = StepTrace['before'];

type Traced = Pick<SampleTrace, 'steps' | 'pictures' | 'filePath'>;

/** A sample and what each step did to it: text or picture, score, reason. */
export function SampleJourney({ sample, operators }: { sample: Traced; operators: readonly Operator[] }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  return (
    <Stack gap="xs" component="ol" className="plain-order">
      {sample.steps.map((trace, index) => (
        <li key={index} className="journey-step">
          <Group gap="xs">
            <Text size="xs" c="dimmed" className="figure">
              {trace.step + 1}
            </Text>
            <Text size="sm" fw={600}>
              {operators.find(({ id }) => id === trace.operatorId)?.name ?? trace.operatorId}
            </Text>
            <VerdictBadge verdict={trace.verdict} />
            {trace.score !== null && (
              <Text size="xs" c="dimmed" className="figure">
                {t('cleaning.ledger.score', { score: roundScore(trace.score, locale) })}
              </Text>
            )}
          </Group>
          {trace.reason !== null && (
            <Text size="sm" c={trace.verdict === 'FAILED' ? 'red' : 'orange'}>
              {say(trace, 'reason')}
            </Text>
          )}
          {trace.matches.length > 0 && trace.before.picture === undefined && (
            <div className="diff-text marked-sample" data-verbatim>
              <MarkedText text={trace.before.text} marks={trace.matches} units="UTF_16" />
            </div>
          )}
          {trace.matches.map((match) => (
            <FoundElsewhere key={`${match.start} ${match.end}`} {...match} />
          ))}
          {trace.before.picture !== undefined ? (
            <SamplePicture sample={sample} before={trace.before} after={trace.after} />
          ) : (
            trace.verdict === 'CHANGED' && <Change before={trace.before} after={trace.after} />
          )}
        </li>
      ))}
    </Stack>
  );
}

/** The picture of a sample before and after steps. */
export function SamplePicture({
  sample: { filePath, pictures },
  before,
  after,
  brief = false,
}: {
  sample: Pick<SampleTrace, 'filePath' | 'pictures'>;
  before: Shown;
  after: readonly Shown[];
  brief?: boolean;
}) {
  const pictureOf = ({ picture }: Shown): PreviewPicture[] =>
    picture === undefined ? [] : pictures.slice(picture, picture + 1);
  const [first] = pictureOf(before);
  if (first === undefined) return null;
  const name = filePath.slice(filePath.lastIndexOf('/') + 1);
  return <PictureChange name={name} before={first} after={after.flatMap(pictureOf)} brief={brief} />;
}

/** A passage of the text that also occurs in another dataset. */
function FoundElsewhere({ dataset, path, row, line, start, end, text }: StepTrace['matches'][number]) {
  const { t } = useTranslation();
  const locale = useLocale();
  const place = [
    path,
    ...(row === null ? [] : [`${t('datasets.file.row')} ${row}`]),
    ...(line === null ? [] : [t('cleaning.ledger.line', { line })]),
  ].join(' · ');
  return (
    <div className="example">
      <Text size="xs" c="dimmed" className="wraps">
        {t('cleaning.ledger.foundIn', {
          dataset,
          place,
          start: formatCount(start, locale),
          end: formatCount(end, locale),
        })}
      </Text>
      <Text size="sm" component="div" className="diff-text">
        {text}
        {end - start > text.length && ' …'}
      </Text>
    </div>
  );
}

/** A text before and after a step; `brief` shows only the changes and their context. */
export function Change({ before, after, brief = false }: { before: Shown; after: readonly Shown[]; brief?: boolean }) {
  const { t } = useTranslation();
  const [only] = after;
  const isCut = before.truncated || after.some(({ truncated }) => truncated);
  return (
    <Stack gap={4}>
      {after.length === 1 && only !== undefined ? (
        <TextDiff before={before.text} after={only.text} brief={brief} />
      ) : (
        after.map(({ text }, index) => <TextDiff key={index} before="" after={text} />)
      )}
      {isCut && (
        <Text size="xs" c="dimmed">
          {t('cleaning.preview.cut', { length: before.length })}
        </Text>
      )}
    </Stack>
  );
}

export function roundScore(score: number, locale: string): string {
  return new Intl.NumberFormat(locale, Number.isInteger(score) ? {} : { maximumSignificantDigits: 4 }).format(score);
}
