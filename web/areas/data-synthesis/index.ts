import { IconMessageChatbot, IconSparkles } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import { loadPageTexts, textsInUse } from '../../messages/index.ts';
import { synthesis } from '../../runs/run-area.ts';
import { useTasksRunning } from '../../runs/tasks-running.tsx';
import type { Area } from '../../shell/area.ts';
import { localizeInstruction } from './built-in-texts.ts';
import { synthesisRoutes } from './routes.tsx';
import { useSynthesisActions } from './use-synthesis-actions.ts';

export const dataSynthesis = {
  order: 50,
  routes: synthesisRoutes,
  navigation: [
    {
      to: '/synthesis',
      label: (t) => t('shell.places.synthesis'),
      icon: IconSparkles,
      group: 'prepare',
      key: 'y',
      useCount: () => ({ count: useTasksRunning(synthesis).count, isRunning: true }),
    },
    {
      to: '/synthesis/templates',
      label: (t) => t('shell.search.instructionTemplates'),
      icon: IconMessageChatbot,
      group: 'build',
      key: 'i',
    },
  ],
  search: [
    {
      name: 'synthesis-tasks',
      label: (t) => t('shell.search.synthesisTasks'),
      icon: IconSparkles,
      async find(keyword, size) {
        const found = await dataOf(api.GET('/api/v1/data-synthesis/tasks', { params: { query: { keyword, size } } }));
        return found.data.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description,
          to: `/synthesis/${id}`,
        }));
      },
    },
    {
      name: 'instruction-templates',
      label: (t) => t('shell.search.instructionTemplates'),
      icon: IconMessageChatbot,
      async find(keyword, size) {
        const found = await dataOf(
          api.GET('/api/v1/data-synthesis/templates', { params: { query: { keyword, size } } }),
        );
        await loadPageTexts('synthesis');
        return found.data.content
          .map((template) => localizeInstruction(template, textsInUse()))
          .map(({ id, name, description }) => ({ id, label: name, description, to: `/synthesis/templates/${id}` }));
      },
    },
  ],
  useRunning: () => useTasksRunning(synthesis),
  useActions: useSynthesisActions,
  uses: [
    {
      label: (t) => t('shell.uses.synthesis'),
      icon: IconSparkles,
      to: (datasetId) => `/synthesis/new?dataset=${encodeURIComponent(datasetId)}`,
    },
  ],
  tasks: { ...synthesis, label: (t) => t('shell.places.synthesis') },
} as const satisfies Area & { routes: unknown };
