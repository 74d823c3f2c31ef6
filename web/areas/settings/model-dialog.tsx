import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Model, NewModel } from '../../api/schema.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { modelsQuery } from './model-queries.ts';

type Values = {
  name: string;
  kind: Model['kind'];
  provider: Model['provider'];
  baseUrl: string;
  model: string;
  apiKey: string;
  removeKey: boolean;
  inputPrice: number | undefined;
  outputPrice: number | undefined;
  concurrency: number | undefined;
  callsPerDay: number | undefined;
  costPerDay: number | undefined;
};

/** Creates or edits a model. The API key is write-only: an empty field keeps the stored one. */
export function ModelDialog(props: {
  model: Model | undefined;
  onClose: () => void;
  onSaved?: (model: Model) => void;
}) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { model, onClose } = props;
  const required = (value: string): string | undefined => (value.trim() === '' ? t('auth.signIn.required') : undefined);
  const draft = useDraft<Values>(valuesOf(model), {
    checks: {
      name: ({ name }) => required(name),
      model: (values) => required(values.model),
      baseUrl: ({ baseUrl, provider }) =>
        provider === 'openai-compatible' && !/^https?:\/\/./.test(baseUrl.trim())
          ? t('settings.models.baseUrlWrong')
          : undefined,
      apiKey: (values) =>
        values.apiKey === '' && !values.removeKey && movesKey(values, model)
          ? t('settings.models.keyAgain')
          : undefined,
    },
  });
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const body = bodyOf(values, model);
      const saved =
        model === undefined
          ? await dataOf(api.POST('/api/v1/settings/models', { body }))
          : await dataOf(api.PUT('/api/v1/settings/models/{id}', { params: { path: { id: model.id } }, body }));
      return saved.data;
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey });
      notifyDone(t('settings.models.saved', { name: saved.name }));
      onClose();
      props.onSaved?.(saved);
    },
  });
  const { provider, removeKey } = draft.values;
  const isRemote = provider === 'openai-compatible';
  const mustGiveKey = movesKey(draft.values, model);
  const keyHelp = mustGiveKey
    ? t('settings.models.keyAgain')
    : t(model?.hasSecret === true ? 'settings.models.keyStays' : 'settings.models.keyHelp');
  const number = { min: 0, allowNegative: false, hideControls: true, thousandSeparator: ' ' } as const;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={model === undefined ? t('settings.models.create') : t('settings.models.editTitle', { name: model.name })}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(save.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('settings.models.name')}
            description={t('settings.models.nameHelp')}
            data-autofocus
            {...draft.text('name')}
          />
          <Group grow align="flex-start">
            <Select
              label={t('settings.models.kind')}
              data={(['CHAT', 'EMBEDDING', 'RERANKER'] as const).map((value) => ({
                value,
                label: t(`settings.models.kinds.${value}`),
              }))}
              allowDeselect={false}
              {...draft.choice('kind')}
            />
            <Select
              label={t('settings.models.provider')}
              data={(['openai-compatible', 'builtin'] as const).map((value) => ({
                value,
                label: t(`settings.models.providers.${value}`),
              }))}
              allowDeselect={false}
              {...draft.choice('provider')}
            />
          </Group>
          {isRemote && (
            <TextInput
              label={t('settings.models.baseUrl')}
              description={t('settings.models.baseUrlHelp')}
              placeholder="https://api.openai.com/v1"
              inputMode="url"
              {...draft.text('baseUrl')}
            />
          )}
          <TextInput
            label={t('settings.models.model')}
            description={isRemote ? t('settings.models.modelHelp') : t('settings.models.onnxHelp')}
            {...draft.text('model')}
          />
          {isRemote && (
            <>
              <PasswordInput
                label={t('settings.models.apiKey')}
                description={keyHelp}
                placeholder={model?.hasSecret === true && !removeKey && !mustGiveKey ? '••••••••••••' : undefined}
                autoComplete="off"
                disabled={removeKey}
                {...draft.text('apiKey')}
              />
              {model?.hasSecret === true && (
                <Checkbox label={t('settings.models.removeKey')} {...draft.flag('removeKey')} />
              )}
              <Group grow align="flex-start">
                <NumberInput label={t('settings.models.inputPrice')} {...number} {...draft.limit('inputPrice')} />
                <NumberInput label={t('settings.models.outputPrice')} {...number} {...draft.limit('outputPrice')} />
              </Group>
            </>
          )}
          <Group grow align="flex-end">
            <NumberInput
              label={t('settings.models.concurrency')}
              placeholder="64"
              {...number}
              min={1}
              max={4096}
              allowDecimal={false}
              {...draft.limit('concurrency')}
            />
            <NumberInput
              label={t('settings.models.callsPerDay')}
              placeholder={t('settings.models.unlimited')}
              {...number}
              allowDecimal={false}
              {...draft.limit('callsPerDay')}
            />
            <NumberInput
              label={t('settings.models.costPerDay')}
              placeholder={t('settings.models.unlimited')}
              {...number}
              {...draft.limit('costPerDay')}
            />
          </Group>
          {isRemote && draft.values.baseUrl.trim().startsWith('http://') && (
            <Alert color="orange">{t('settings.models.plainHttp')}</Alert>
          )}
          {save.isError && <ErrorPanel error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('common.actions.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Whether a stored key would be sent to another origin than the one it was entered for, which the service refuses. */
function movesKey({ provider, baseUrl }: Values, model: Model | undefined): boolean {
  if (model?.hasSecret !== true || provider !== 'openai-compatible') return false;
  const url = URL.parse(baseUrl.trim());
  return url !== null && url.origin !== URL.parse(model.baseUrl ?? '')?.origin;
}

function valuesOf(model: Model | undefined): Values {
  return {
    name: model?.name ?? '',
    kind: model?.kind ?? 'CHAT',
    provider: model?.provider ?? 'openai-compatible',
    baseUrl: model?.baseUrl ?? '',
    model: model?.model ?? '',
    apiKey: '',
    removeKey: false,
    inputPrice: model?.prices?.input,
    outputPrice: model?.prices?.output,
    concurrency: model?.limits.concurrency,
    callsPerDay: model?.limits.perDay?.maxCalls,
    costPerDay: model?.limits.perDay?.maxCost,
  };
}

/** Limits that the form does not show stay unchanged. */
function bodyOf(values: Values, model: Model | undefined): NewModel {
  const { inputPrice, outputPrice, concurrency, callsPerDay, costPerDay, apiKey, removeKey, provider } = values;
  const { concurrency: _concurrency, perDay = {}, ...limits } = model?.limits ?? {};
  const { maxCalls: _maxCalls, maxCost: _maxCost, ...otherCaps } = perDay;
  const caps = {
    ...otherCaps,
    ...(callsPerDay === undefined ? {} : { maxCalls: callsPerDay }),
    ...(costPerDay === undefined ? {} : { maxCost: costPerDay }),
  };
  const isRemote = provider === 'openai-compatible';
  return {
    name: values.name.trim(),
    kind: values.kind,
    provider,
    baseUrl: isRemote ? values.baseUrl.trim() : null,
    model: values.model.trim(),
    prices:
      inputPrice === undefined && outputPrice === undefined
        ? null
        : { input: inputPrice ?? 0, output: outputPrice ?? 0 },
    limits: {
      ...limits,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(Object.keys(caps).length === 0 ? {} : { perDay: caps }),
    },
    ...(removeKey ? { apiKey: '' } : apiKey === '' || !isRemote ? {} : { apiKey }),
  };
}
