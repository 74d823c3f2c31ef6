import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Vite reads its configuration from a default export.
// oxlint-disable-next-line import/no-default-export
export default defineConfig(({ command }) => ({
  // Built pages work under any path of a proxy; the server writes the path into index.html.
  base: command === 'build' ? './' : '/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    target: 'es2024',
    // Colours use light-dark(), which must not be transpiled for older browsers.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy allows no data: scripts or styles, and hashed files are cached for ever.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' as const },
  server: {
    host: '127.0.0.1',
    port: Number(process.env.PORT ?? 7701),
    strictPort: true,
    proxy:
      command === 'serve'
        ? { '^/(?:api|docs|healthz|readyz)': { target: process.env.TILTH_URL ?? 'http://127.0.0.1:7700' } }
        : {},
  },
}));
