import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { ApiError, OfflineError } from './api/errors.ts';
import { areas } from './areas.ts';
import { createAppRouter } from './router.tsx';
import { AreasProvider } from './shell/area.ts';
import { readableColors, theme } from './ui/theme.ts';

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // Refusals are not retried; lost connections and failures are.
      retry: (tries, error) =>
        error instanceof ApiError ? error.status >= 500 && tries < 2 : error instanceof OfflineError && tries < 5,
      retryDelay: (tries) => Math.min(500 * 2 ** tries, 8_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

const router = createAppRouter(queryClient);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

export function Application() {
  return (
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={readableColors} defaultColorScheme="auto">
        <Notifications position="top-right" limit={4} />
        <QueryClientProvider client={queryClient}>
          <AreasProvider value={areas}>
            <RouterProvider router={router} />
          </AreasProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
