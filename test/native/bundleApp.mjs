/*
 * Bundles the app of these tests with Metro, as `react-native bundle` does. Its own process, because Metro and Babel read the environment.
 * Usage: node bundleApp.mjs <file to write> <folder where @parley/sdk is installed>
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

process.env.NODE_ENV = process.env.BABEL_ENV = 'production';

const here = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const require = createRequire(import.meta.url);
const Metro = /** @type {typeof import('metro')} */ (require('metro'));
const { getDefaultConfig, mergeConfig } = /** @type {typeof import('@react-native/metro-config')} */ (
  require('@react-native/metro-config')
);

const [out = '', installed = ''] = process.argv.slice(2);
const config = mergeConfig(getDefaultConfig(here), {
  projectRoot: here,
  watchFolders: [root, installed],
  maxWorkers: 2,
  resolver: {
    // As if the app had installed the two packages. Their `exports` are used.
    extraNodeModules: { '@parley/react-native': `${root}/sdk/react-native` },
    // The app's React, and not that of the console, which lies nearer to the package's files; and the SDK as it is packed.
    resolveRequest: (context, name, platform) => {
      const from = /^react($|\/)/.test(name) ? here : /^@parley\/sdk($|\/)/.test(name) ? installed : null;
      const origin = from === null ? {} : { originModulePath: `${from}/package.json` };
      return context.resolveRequest({ ...context, ...origin }, name, platform);
    },
    nodeModulesPaths: [`${here}/node_modules`, `${root}/node_modules`],
  },
  reporter: {
    update: (event) => {
      if (event.type === 'bundle_build_failed' || event.type === 'transform_cache_reset')
        console.error(event);
    },
  },
});
await Metro.runBuild(await Metro.loadConfig({ cwd: here, projectRoot: here }, config), {
  entry: 'app/entry.tsx',
  out,
  platform: 'android',
  dev: false,
  minify: false,
  // The profile of engines that have no classes, such as Hermes 0.12.
  unstable_transformProfile: 'default',
});
process.exit(0);
