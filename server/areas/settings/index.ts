import type { Models } from '../../models/index.ts';
import { createModelSettings, type ModelSettings } from './models.ts';
import { settingsRoutes } from './routes.ts';
import type { RetentionView } from './schemas.ts';

export type { RetentionView } from './schemas.ts';

/** The area of installation-wide settings, for administrators. */
export type Settings = { routes: ReturnType<typeof settingsRoutes>; models: ModelSettings };

export function createSettings({ models, retention }: { models: Models; retention: RetentionView }): Settings {
  const modelSettings = createModelSettings({ models });
  return { routes: settingsRoutes({ models: modelSettings, retention }), models: modelSettings };
}
