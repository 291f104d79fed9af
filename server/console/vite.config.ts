import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
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
