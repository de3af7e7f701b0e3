/**
 * The build of the console and of the API reference. Its output is served at /console/ and /docs and calls only the gateway
 * that serves it.
 */
import { defineConfig } from 'vite';

/** Where the dev server finds a gateway. */
const GATEWAY = process.env.BONGSU_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    rollupOptions: { input: ['index.html', 'docs.html'] },
    // The first browsers with light-dark(), which the colours are written in.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Everything is a file of its own, so that the gateway's policy needs no exception for inlined data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/admin': GATEWAY, '/files': GATEWAY, '/v1': GATEWAY, '/openapi.json': GATEWAY } },
});
