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
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Model, NewModel } from '../../api/schema.ts';
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
  inputPrice: number | '';
  outputPrice: number | '';
  concurrency: number | '';
  callsPerDay: number | '';
  costPerDay: number | '';
};

/** Creates or changes a model. The API key is written and never read: an empty field keeps the stored one. */
export function ModelDialog(props: {
  model: Model | undefined;
  onClose: () => void;
  onSaved?: (model: Model) => void;
}) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { model, onClose } = props;
  const required = (value: string): string | null => (value.trim() === '' ? t('auth.signIn.required') : null);
  const form = useForm<Values>({
    initialValues: valuesOf(model),
    validate: {
      name: required,
      model: required,
      baseUrl: (value, { provider }) =>
        provider === 'openai-compatible' && !/^https?:\/\/./.test(value.trim())
          ? t('settings.models.baseUrlWrong')
          : null,
      apiKey: (value, values) =>
        value === '' && !values.removeKey && movesKey(values, model) ? t('settings.models.keyAgain') : null,
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
  const { provider, removeKey } = form.values;
  const isRemote = provider === 'openai-compatible';
  const mustGiveKey = movesKey(form.values, model);
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
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="sm">
          <TextInput
            label={t('settings.models.name')}
            description={t('settings.models.nameHelp')}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Group grow align="flex-start">
            <Select
              label={t('settings.models.kind')}
              data={(['CHAT', 'EMBEDDING', 'RERANKER'] as const).map((value) => ({
                value,
                label: t(`settings.models.kinds.${value}`),
              }))}
              allowDeselect={false}
              {...form.getInputProps('kind')}
            />
            <Select
              label={t('settings.models.provider')}
              data={(['openai-compatible', 'builtin'] as const).map((value) => ({
                value,
                label: t(`settings.models.providers.${value}`),
              }))}
              allowDeselect={false}
              {...form.getInputProps('provider')}
            />
          </Group>
          {isRemote && (
            <TextInput
              label={t('settings.models.baseUrl')}
              description={t('settings.models.baseUrlHelp')}
              placeholder="https://api.openai.com/v1"
              inputMode="url"
              {...form.getInputProps('baseUrl')}
            />
          )}
          <TextInput
            label={t('settings.models.model')}
            description={isRemote ? t('settings.models.modelHelp') : t('settings.models.onnxHelp')}
            {...form.getInputProps('model')}
          />
          {isRemote && (
            <>
              <PasswordInput
                label={t('settings.models.apiKey')}
                description={keyHelp}
                placeholder={model?.hasSecret === true && !removeKey && !mustGiveKey ? '••••••••••••' : undefined}
                autoComplete="off"
                disabled={removeKey}
                {...form.getInputProps('apiKey')}
              />
              {model?.hasSecret === true && (
                <Checkbox
                  label={t('settings.models.removeKey')}
                  {...form.getInputProps('removeKey', { type: 'checkbox' })}
                />
              )}
              <Group grow align="flex-start">
                <NumberInput
                  label={t('settings.models.inputPrice')}
                  {...number}
                  {...form.getInputProps('inputPrice')}
                />
                <NumberInput
                  label={t('settings.models.outputPrice')}
                  {...number}
                  {...form.getInputProps('outputPrice')}
                />
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
              {...form.getInputProps('concurrency')}
            />
            <NumberInput
              label={t('settings.models.callsPerDay')}
              placeholder={t('settings.models.unlimited')}
              {...number}
              allowDecimal={false}
              {...form.getInputProps('callsPerDay')}
            />
            <NumberInput
              label={t('settings.models.costPerDay')}
              placeholder={t('settings.models.unlimited')}
              {...number}
              {...form.getInputProps('costPerDay')}
            />
          </Group>
          {isRemote && form.values.baseUrl.trim().startsWith('http://') && (
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

/** Whether a stored key would be sent to another origin than the one it was given for, which the service refuses. */
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
    inputPrice: model?.prices?.input ?? '',
    outputPrice: model?.prices?.output ?? '',
    concurrency: model?.limits.concurrency ?? '',
    callsPerDay: model?.limits.perDay?.maxCalls ?? '',
    costPerDay: model?.limits.perDay?.maxCost ?? '',
  };
}

/** Limits that the form does not show stay unchanged. */
function bodyOf(values: Values, model: Model | undefined): NewModel {
  const { inputPrice, outputPrice, concurrency, callsPerDay, costPerDay, apiKey, removeKey, provider } = values;
  const { concurrency: _concurrency, perDay = {}, ...limits } = model?.limits ?? {};
  const { maxCalls: _maxCalls, maxCost: _maxCost, ...otherCaps } = perDay;
  const caps = {
    ...otherCaps,
    ...(callsPerDay === '' ? {} : { maxCalls: callsPerDay }),
    ...(costPerDay === '' ? {} : { maxCost: costPerDay }),
  };
  const isRemote = provider === 'openai-compatible';
  return {
    name: values.name.trim(),
    kind: values.kind,
    provider,
    baseUrl: isRemote ? values.baseUrl.trim() : null,
    model: values.model.trim(),
    prices: inputPrice === '' && outputPrice === '' ? null : { input: inputPrice || 0, output: outputPrice || 0 },
    limits: {
      ...limits,
      ...(concurrency === '' ? {} : { concurrency }),
      ...(Object.keys(caps).length === 0 ? {} : { perDay: caps }),
    },
    ...(removeKey ? { apiKey: '' } : apiKey === '' || !isRemote ? {} : { apiKey }),
  };
}
