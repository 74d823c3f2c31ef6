import { Button, Menu, type ButtonProps } from '@mantine/core';
import { IconColumns3, IconMessage, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNewTemplate } from './use-new-template.ts';

type Props = Pick<ButtonProps, 'size' | 'variant'> & {
  /** The dataset that the new template is tried on. */
  dataset?: string | undefined;
};

/** Creates a template with one prompt or with columns, and opens its editor. */
export function NewTemplateButton({ dataset, ...look }: Props) {
  const { t } = useTranslation();
  const { create, isPending } = useNewTemplate(dataset);
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button {...look} leftSection={<IconPlus size={16} />} loading={isPending}>
          {t('synthesis.templates.create')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconMessage size={16} />} onClick={() => create('prompt')}>
          {t('synthesis.templates.createPrompt')}
        </Menu.Item>
        <Menu.Item leftSection={<IconColumns3 size={16} />} onClick={() => create('columns')}>
          {t('synthesis.templates.createColumns')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
