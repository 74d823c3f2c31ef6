import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconArrowsDiff,
  IconBan,
  IconCircleCheck,
  IconDots,
  IconDownload,
  IconTrash,
  IconUnlink,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, OperatorVersion } from '../../../api/schema.ts';
import { useMayEdit, useMe } from '../../../session/use-role.ts';
import { notifyDone, notifyError } from '../../../ui/notify.ts';
import { emptyDraft, newStep } from '../../data-cleaning/drafts/draft.ts';
import { newTaskKey, storeDraft } from '../../data-cleaning/drafts/draft-storage.ts';
import { DeleteDialog, DisableDialog, InstallDialog, UninstallDialog } from './install-dialogs.tsx';
import { useOperatorAction } from './use-operator-action.ts';

type Dialog = 'install' | 'uninstall' | 'disable' | 'delete';

/** Actions on the shown version: the next step as the button, the others in the menu. */
export function PackageActions({ operator, versions }: { operator: Operator; versions: readonly OperatorVersion[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const me = useMe();
  const act = useOperatorAction();
  const [dialog, setDialog] = useState<Dialog>();
  if (!mayEdit) return null;
  const { id, name, version } = operator;
  const installed = versions.find((one) => one.installed)?.version;
  const isDisabled = operator.status === 'DISABLED';
  const isAdmin = me.role === 'ADMIN';
  const close = (): void => setDialog(undefined);
  const compare = (from: string, to: string): void =>
    void navigate({ to: '/market/operators/$operatorId/compare', params: { operatorId: id }, search: { from, to } });
  const use = (): void => {
    storeDraft(newTaskKey({}), { ...emptyDraft(), steps: [newStep(operator)] });
    void navigate({ to: '/cleaning/new' });
  };
  const enable = async (): Promise<void> => {
    try {
      await act('enable', { id });
      notifyDone(t('market.enable.done', { name }));
    } catch (error) {
      notifyError(error);
    }
  };
  const newer = operator.latestVersion;
  return (
    <>
      {isDisabled ? (
        isAdmin && (
          <Button leftSection={<IconCircleCheck size={16} />} onClick={() => void enable()}>
            {t('market.enable.action')}
          </Button>
        )
      ) : operator.installed ? (
        <>
          {newer !== version && (
            <Button leftSection={<IconArrowsDiff size={16} />} onClick={() => compare(version, newer)}>
              {t('market.compare.upgrade', { version: newer })}
            </Button>
          )}
          <Button variant={newer === version ? 'filled' : 'default'} onClick={use}>
            {t('operators.use')}
          </Button>
        </>
      ) : (
        <>
          {installed !== undefined && (
            <Button
              variant="default"
              leftSection={<IconArrowsDiff size={16} />}
              onClick={() => compare(installed, version)}
            >
              {t('market.compare.with', { version: installed })}
            </Button>
          )}
          <Button leftSection={<IconDownload size={16} />} onClick={() => setDialog('install')}>
            {t('market.install.button', { version })}
          </Button>
        </>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('common.actions.more')}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconUnlink size={15} />}
            disabled={installed === undefined}
            onClick={() => setDialog('uninstall')}
          >
            {t('market.uninstall.action')}
          </Menu.Item>
          {isAdmin && !isDisabled && (
            <Menu.Item leftSection={<IconBan size={15} />} onClick={() => setDialog('disable')}>
              {t('market.disable.action')}
            </Menu.Item>
          )}
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            disabled={installed !== undefined || (!isAdmin && operator.createdBy !== me.username)}
            onClick={() => setDialog('delete')}
          >
            {t('market.delete.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <InstallDialog operator={operator} opened={dialog === 'install'} onClose={close} />
      <UninstallDialog operator={operator} opened={dialog === 'uninstall'} onClose={close} />
      <DisableDialog operator={operator} opened={dialog === 'disable'} onClose={close} />
      <DeleteDialog operator={operator} opened={dialog === 'delete'} onClose={close} />
    </>
  );
}
