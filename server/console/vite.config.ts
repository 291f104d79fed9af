import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { pagePaths } from './src/shell/paths.ts';
import { compressFolder } from '../../scripts/compressFolder.mjs';

/** Its files are served as they were compressed here. */
const compressed: Plugin = {
  name: 'compress',
  writeBundle: ({ dir }) => (dir === undefined ? undefined : compressFolder(dir)),
};

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server answers these paths with the page, and all others with 404. */
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
  resolve: { alias: { '@parley/sdk': here('../../sdk/src/index.ts') } },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    rolldownOptions: {
      output: {
        // What changes with an upgrade only is cached apart from what changes with every commit.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'mantine', test: /node_modules\/(@mantine|@floating-ui|react-remove-scroll)\// },
          ],
        },
      },
    },
  },
});
