import { Alert, Anchor, Breadcrumbs, Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, OperatorExamination } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { Page } from '../../../ui/page.tsx';
import { sendForm } from '../../data-management/uploads/form-sender.ts';
import { receivePackages } from './handed-package.ts';
import { operatorsKey } from './market-queries.ts';
import { PackageChecks } from './package-checks.tsx';
import { PackageSummary } from './package-summary.tsx';

const maxPackageBytes = 8 * 1024 * 1024;

type Stage =
  | { kind: 'empty' }
  | { kind: 'not-a-package'; name: string }
  | { kind: 'examining'; file: File; share: number }
  | { kind: 'examined'; file: File; report: OperatorExamination; publishing: boolean; error?: unknown }
  | { kind: 'failed'; file: File; error: unknown };

/** Takes a package, shows each of the market's checks of it, and publishes it. */
export function PublishPage() {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const queryClient = useQueryClient();
  const [stage, setStage] = useState<Stage>({ kind: 'empty' });
  const examination = useRef<AbortController>(undefined);
  const chooser = useRef<HTMLInputElement>(null);

  const examine = async (file: File): Promise<void> => {
    examination.current?.abort();
    const { signal } = (examination.current = new AbortController());
    setStage({ kind: 'examining', file, share: 0 });
    try {
      const { data: report } = await sendForm<{ data: OperatorExamination }>(
        '/api/v1/operator-market/examinations',
        formOf(file),
        signal,
        (share) => {
          if (!signal.aborted) setStage({ kind: 'examining', file, share });
        },
      );
      if (!signal.aborted) setStage({ kind: 'examined', file, report, publishing: false });
    } catch (error) {
      if (!signal.aborted) setStage({ kind: 'failed', file, error });
    }
  };
  const take = (files: readonly File[]): void => {
    const [file] = files;
    if (file === undefined) return;
    const isPackage = files.length === 1 && /\.(?:tgz|tar\.gz|zip)$/i.test(file.name) && file.size <= maxPackageBytes;
    if (isPackage) void examine(file);
    else {
      examination.current?.abort();
      setStage({ kind: 'not-a-package', name: file.name });
    }
  };
  const takeDropped = useEffectEvent(take);
  useEffect(() => {
    const end = receivePackages((files) => takeDropped(files));
    return () => {
      end();
      examination.current?.abort();
    };
  }, []);

  const publish = async (file: File, report: OperatorExamination): Promise<void> => {
    setStage({ kind: 'examined', file, report, publishing: true });
    try {
      const form = formOf(file);
      const ignore = (): void => undefined;
      const { signal } = new AbortController();
      const { data } = await sendForm<{ data: Operator }>('/api/v1/operator-market/operators', form, signal, ignore);
      await queryClient.invalidateQueries({ queryKey: operatorsKey });
      notifyDone(t('market.publish.done', { name: data.name, version: data.version }));
      await navigate({
        to: '/market/operators/$operatorId',
        params: { operatorId: data.id },
        search: { version: data.version },
      });
    } catch (error) {
      setStage({ kind: 'examined', file, report, publishing: false, error });
    }
  };

  const file = 'file' in stage ? stage.file : undefined;
  return (
    <Page
      title={t('market.publish.title')}
      lead={t('market.publish.lead')}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/market" size="sm">
            {t('market.title')}
          </Anchor>
          <span>{t('market.publish.title')}</span>
        </Breadcrumbs>
      }
    >
      {!mayEdit ? (
        <Alert color="gray">{t('market.publish.viewer')}</Alert>
      ) : (
        <>
          <section
            className="drop-field"
            data-compact={file !== undefined || undefined}
            aria-label={t('market.publish.choose')}
          >
            {file === undefined && <IconUpload size={32} aria-hidden />}
            <Text fw={600} className="wraps">
              {file === undefined ? t('market.publish.drop') : `${file.name} · ${formatBytes(file.size, locale)}`}
            </Text>
            {file === undefined && (
              <Text size="sm" c="dimmed" ta="center">
                {t('market.publish.dropHelp')}
              </Text>
            )}
            <Button
              size="xs"
              variant={file === undefined ? 'filled' : 'default'}
              leftSection={<IconUpload size={14} />}
              onClick={() => chooser.current?.click()}
            >
              {t(file === undefined ? 'market.publish.choose' : 'market.publish.other')}
            </Button>
            <input
              ref={chooser}
              type="file"
              accept=".tgz,.gz,.zip"
              hidden
              aria-label={t('market.publish.choose')}
              onChange={(event) => {
                const files = [...(event.currentTarget.files ?? [])];
                event.currentTarget.value = '';
                take(files);
              }}
            />
          </section>
          {stage.kind === 'not-a-package' && (
            <Alert role="alert" color="orange">
              {t('market.publish.notPackage', { name: stage.name })}
            </Alert>
          )}
          {stage.kind === 'examining' && (
            <Stack gap={4} role="status">
              <Progress
                value={stage.share * 100}
                animated={stage.share === 1}
                aria-label={t('market.publish.progress')}
              />
              <Text size="sm" c="dimmed">
                {t(stage.share < 1 ? 'market.publish.sending' : 'market.publish.checking')}
              </Text>
            </Stack>
          )}
          {stage.kind === 'failed' && <ErrorPanel error={stage.error} onRetry={() => void examine(stage.file)} />}
          {stage.kind === 'examined' && (
            <>
              <Outcome report={stage.report} />
              {stage.report.accepted && (
                <>
                  {stage.error !== undefined && <ErrorPanel error={stage.error} />}
                  <Group gap="xs">
                    <Button loading={stage.publishing} onClick={() => void publish(stage.file, stage.report)}>
                      {t('market.publish.publish', { version: stage.report.package?.version ?? '' })}
                    </Button>
                    <Text size="sm" c="dimmed">
                      {t('market.publish.forGood')}
                    </Text>
                  </Group>
                </>
              )}
              {!stage.report.accepted && <PackageChecks report={stage.report} />}
              {stage.report.package !== null && <PackageSummary report={stage.report} found={stage.report.package} />}
              {stage.report.accepted && <PackageChecks report={stage.report} />}
            </>
          )}
          <HowTo />
        </>
      )}
    </Page>
  );
}

function Outcome({ report }: { report: OperatorExamination }) {
  const { t } = useTranslation();
  return (
    <Alert role="status" color={report.accepted ? 'green' : 'red'}>
      {t(report.accepted ? 'market.publish.accepted' : 'market.publish.refused')}
    </Alert>
  );
}

const commands = [
  ['new', 'npm run operator:new -- my-operator'],
  ['test', 'npm run operator:test -- my-operator'],
  ['pack', 'npm run operator:pack -- my-operator'],
] as const;

/** How to make a package. */
function HowTo() {
  const { t } = useTranslation();
  return (
    <section className="panel" aria-label={t('market.publish.howTo')}>
      <Title order={2} size="h5" mb={4}>
        {t('market.publish.howTo')}
      </Title>
      <Text size="sm" mb="xs">
        {t('market.publish.howToLead')}
      </Text>
      <ol className="numbered how-to">
        {commands.map(([step, command]) => (
          <li key={step}>
            <Text size="sm">{t(`market.publish.steps.${step}`)}</Text>
            <Copyable value={command} clip={false} />
          </li>
        ))}
        <li>
          <Text size="sm">{t('market.publish.steps.drop')}</Text>
        </li>
      </ol>
    </section>
  );
}

function formOf(file: File): FormData {
  const form = new FormData();
  form.append('file', file, file.name);
  return form;
}
