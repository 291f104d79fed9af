import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { pagePaths } from './src/shell/paths.ts';
import { compressFolder } from '../../scripts/compressFolder.mjs';

/** Writes compressed copies, which the server sends as they are. */
const compressed: Plugin = {
  name: 'compress',
  writeBundle: ({ dir }) => (dir === undefined ? undefined : compressFolder(dir)),
};

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Lists the paths that the server answers with the page. It answers 404 to all others. */
const pageList: Plugin = {
  name: 'page-list',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'pages.json',
      source: JSON.stringify(Object.values(pagePaths).flat()),
    });
  },
};

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react(), pageList, compressed],
  resolve: {
    alias: {
      '@parley/sdk/player': here('../../sdk/src/player/index.ts'),
      '@parley/sdk/effects': here('../../sdk/src/effects/index.ts'),
      '@parley/react': here('../../sdk/react/src/index.ts'),
      '@parley/sdk': here('../../sdk/src/index.ts'),
    },
  },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    rolldownOptions: {
      output: {
        // Libraries change only with an upgrade, so they are cached separately from the console's own code.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            { name: 'mantine', test: /node_modules\/(@mantine|@floating-ui|react-remove-scroll)\// },
            // Without this group, each set of pages that share some of these modules would have a file of its own.
            { name: 'start', tags: ['$initial'] },
          ],
        },
      },
    },
  },
});
