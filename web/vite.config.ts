import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const platform = process.env.APP_URL ?? `http://localhost:${process.env.PORT ?? 8080}`;
/** Served by the platform, also during development. */
const served = '^/(api|app|broadcasting|oauth|docs|media|files|dev/mail|mcp|console-files)(/|$|\\?)';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The playground of another workspace has React 18.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    // The policy of the pages allows no inlined fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The tables of any-ascii, which are loaded only for names in other scripts.
    chunkSizeWarningLimit: 600,
    // Small pieces that many pages share are loaded together.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'common', test: /web\/(src|lucide)\//, minShareCount: 40 }] } },
    },
  },
  server: { port: 5173, proxy: { [served]: { target: platform, ws: true } } },
});
