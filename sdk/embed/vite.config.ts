import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compressFolder } from '../../scripts/compressFolder.mjs';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes compressed copies, which the server sends as they are. */
const compressed: Plugin = {
  name: 'compress',
  writeBundle: ({ dir }) => (dir === undefined ? undefined : compressFolder(dir)),
};

/** Builds the page that frames show, `/embed/…`. scripts/buildSdk.mjs builds the script `/sdk/embed.js`. */
export default defineConfig({
  root: here('.'),
  base: '/embed/',
  plugins: [react(), compressed],
  resolve: {
    alias: {
      '@parley/sdk/effects': here('../src/effects/index.ts'),
      '@parley/sdk/player': here('../src/player/index.ts'),
      '@parley/sdk': here('../src/index.ts'),
      '@parley/react': here('../react/src/index.ts'),
    },
  },
  build: { outDir: here('dist'), emptyOutDir: true },
});
