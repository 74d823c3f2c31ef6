import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/shell-route.tsx';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // Only an address of this application, or a link could lead whoever signs in somewhere else.
    typeof search.next === 'string' && /^\/(?![/\\])/.test(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
