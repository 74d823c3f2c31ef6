import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { RefusalAlert } from './refusal-alert.tsx';
import { isSourceRefusal, SourceRefusal } from './source-refusal.tsx';
import { originalOf, type StepProblem } from './step-problem.ts';

type Props = {
  error: Error;
  /** The step at fault, if there is one. */
  problem: StepProblem | undefined;
  onShowStep: () => void;
  onShowSource: () => void;
};

/** Why the service did not save a task, with a link to the part at fault. */
export function SaveRefusal({ error, problem, onShowStep, onShowSource }: Props) {
  const { t } = useTranslation();
  const title = t('cleaning.builder.notSaved');
  if (problem !== undefined) return <RefusalAlert problem={problem} title={title} onShow={onShowStep} />;
  if (isSourceRefusal(originalOf(error))) return <SourceRefusal title={title} onShow={onShowSource} />;
  return <ErrorPanel error={error} title={title} />;
}
