import { Alert, Group, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import type { FileText } from './use-file-text.ts';

/** Shows a text once it is loaded, or why it can not be shown; `lead` is shown above in any case. */
export function FileTextFrame(props: { content: FileText; lead?: ReactNode; children: (text: string) => ReactNode }) {
  const { t } = useTranslation();
  const say = useSay();
  const { content, lead, children } = props;
  const { text, problem } = content;
  const below = (view: ReactNode) => (
    <Stack gap={6}>
      {lead !== undefined && <Group gap="xs">{lead}</Group>}
      {view}
    </Stack>
  );
  if (content.error !== null) return below(<ErrorPanel error={content.error} onRetry={content.retry} />);
  if (content.isLoading) return below(<Skeleton height={320} />);
  const warning = problem !== undefined && (
    <Alert color="orange" py="xs" title={t(text === undefined ? 'data.unreadable' : 'data.readInPart')}>
      {say(problem, 'problem')}
    </Alert>
  );
  if (text === undefined) return below(warning);
  return (
    <Stack gap={6}>
      {warning}
      {children(text)}
    </Stack>
  );
}
