import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { ApiError } from '../api/errors.ts';
import { meQuery } from '../session/session-queries.ts';
import { CrashPage, NotFoundPage } from './fault-pages.tsx';
import { Shell } from './shell.tsx';

export type RouterContext = { queryClient: QueryClient };

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
});

/** Everything that requires a signed-in user; its children are the pages of the areas. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.query({ ...meQuery, staleTime: 'static' });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        // oxlint-disable-next-line typescript/only-throw-error -- the router's way to lead elsewhere
        throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
      throw error;
    }
  },
});

/** An unknown address: shown inside the shell. */
export const unknownPageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFoundPage,
});
