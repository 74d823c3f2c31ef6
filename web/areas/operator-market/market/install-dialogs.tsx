import { Alert, Stack, Text, useMantineTheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../../../api/path-prefix.ts';
import type { Operator } from '../../../api/schema.ts';
import { useMe } from '../../../session/use-role.ts';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { Capabilities } from './capabilities.tsx';
import { usingTasksQuery } from './market-queries.ts';
import { SignatureBadge } from './signature-badge.tsx';
import { useOperatorAction } from './use-operator-action.ts';

type Props = { operator: Operator; opened: boolean; onClose: () => void };

/** Whether a version may be installed: it needs no capabilities, or an administrator has approved it. */
export function isAllowed({ capabilities, status }: Pick<Operator, 'capabilities' | 'status'>): boolean {
  return capabilities.length === 0 || status === 'APPROVED';
}

/**
 * Shows the capabilities of a version before it is installed. An administrator can approve it; others see whom to ask.
 */
export function InstallDialog({ operator, opened, onClose }: Props) {
  const { t } = useTranslation();
  const act = useOperatorAction();
  const { primaryColor } = useMantineTheme();
  const isAdmin = useMe().role === 'ADMIN';
  const { id, name, version, signature } = operator;
  const needsApproval = !isAllowed(operator);
  const link = `${location.origin}${addressOf(`/market/operators/${id}`)}?version=${encodeURIComponent(version)}`;
  return (
    <ConfirmDialog
      opened={opened}
      title={t('market.install.title', { name, version })}
      action={t(needsApproval && isAdmin ? 'market.install.approveAndInstall' : 'market.install.action', { version })}
      color={primaryColor}
      disabled={needsApproval && !isAdmin}
      onClose={onClose}
      onConfirm={async () => {
        if (needsApproval) await act('approve', { id, version });
        await act('install', { id, version });
        notifyDone(t('market.install.done', { name, version }));
      }}
    >
      <Stack gap="sm">
        <Capabilities asked={operator} />
        <div>
          <SignatureBadge signature={signature} />
        </div>
        <Text size="sm">{t('market.install.means')}</Text>
        {needsApproval &&
          (isAdmin ? (
            <Alert color="orange">{t('market.install.youApprove', { version })}</Alert>
          ) : (
            <Alert color="orange" title={t('market.install.ask')}>
              <Text size="sm" mb="xs">
                {t('market.install.askHow')}
              </Text>
              <Copyable value={link} />
            </Alert>
          ))}
      </Stack>
    </ConfirmDialog>
  );
}

/** Lists the tasks that would miss the operator. */
export function UninstallDialog({ operator, opened, onClose }: Props) {
  const { t } = useTranslation();
  const act = useOperatorAction();
  const { id, name } = operator;
  return (
    <ConfirmDialog
      opened={opened}
      title={t('market.uninstall.title', { name })}
      action={t('market.uninstall.action')}
      onClose={onClose}
      onConfirm={async () => {
        await act('uninstall', { id });
        notifyDone(t('market.uninstall.done', { name }));
      }}
    >
      <AffectedTasks operatorId={id} opened={opened} />
    </ConfirmDialog>
  );
}

export function DisableDialog({ operator, opened, onClose }: Props) {
  const { t } = useTranslation();
  const act = useOperatorAction();
  const { id, name } = operator;
  return (
    <ConfirmDialog
      opened={opened}
      title={t('market.disable.title', { name })}
      action={t('market.disable.action')}
      onClose={onClose}
      onConfirm={async () => {
        await act('disable', { id });
        notifyDone(t('market.disable.done', { name }));
      }}
    >
      <Text size="sm" mb="xs">
        {t('market.disable.means')}
      </Text>
      <AffectedTasks operatorId={id} opened={opened} />
    </ConfirmDialog>
  );
}

/** `version`: the version to delete; without it, the operator with all its versions. */
export function DeleteDialog({ operator, version, opened, onClose }: Props & { version?: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const act = useOperatorAction();
  const { id, name } = operator;
  return (
    <ConfirmDialog
      opened={opened}
      title={t(version === undefined ? 'market.delete.title' : 'market.delete.titleVersion', { name, version })}
      action={t(version === undefined ? 'market.delete.action' : 'market.delete.actionVersion', { version })}
      onClose={onClose}
      onConfirm={async () => {
        await act('remove', { id, ...(version === undefined ? {} : { version }) });
        notifyDone(t('market.delete.done', { name }));
        await navigate({ to: '/market' });
      }}
    >
      <Text size="sm" mb="xs">
        {t('market.delete.means')}
      </Text>
      <AffectedTasks operatorId={id} opened={opened} />
    </ConfirmDialog>
  );
}

const namedTasks = 8;

function AffectedTasks({ operatorId, opened }: { operatorId: string; opened: boolean }) {
  const { t } = useTranslation();
  const { data } = useQuery({ ...usingTasksQuery(operatorId), enabled: opened });
  if (data === undefined) return null;
  if (data.totalElements === 0) return <Text size="sm">{t('market.uninstall.noTasks')}</Text>;
  const rest = data.totalElements - Math.min(namedTasks, data.content.length);
  return (
    <>
      <Text size="sm">{t('market.uninstall.tasks', { count: data.totalElements })}</Text>
      <ul className="plain-list">
        {data.content.slice(0, namedTasks).map(({ id, name }) => (
          <li key={id}>
            <Link to="/cleaning/$taskId" params={{ taskId: id }}>
              {name}
            </Link>
          </li>
        ))}
        {rest > 0 && <li>{t('market.uninstall.more', { count: rest })}</li>}
      </ul>
    </>
  );
}
