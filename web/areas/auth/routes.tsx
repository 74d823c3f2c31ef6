import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { rootRoute } from '../../shell/shell-route.tsx';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // Only paths within this application, so that a link can not redirect to another site after sign-in.
    typeof search.next === 'string' && /^\/(?![/\\])/.test(search.next) ? { next: search.next } : {},
  component: lazyPage(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
