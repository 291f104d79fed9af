import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The versions of React that @parley/react supports, with the folders of their packages. */
const packages = { 18: `${root}test/react18/node_modules/`, 19: `${root}node_modules/` };
export type ReactVersion = keyof typeof packages;
export const reactVersions = [18, 19] as const satisfies ReactVersion[];

/**
 * Bundles a program with the sources of @parley/react and one version of React, as an app in development has it.
 * @param program its file in this folder
 * @param platform where it runs
 * @returns the script, which also adds the styles to a page
 */
export async function bundleReact(
  program: string,
  version: ReactVersion,
  platform: 'browser' | 'node',
): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`test/harness/react/${program}`],
    bundle: true,
    platform,
    format: platform === 'node' ? 'cjs' : 'iife',
    jsx: 'automatic',
    write: false,
    outfile: 'program.js',
    alias: {
      react: `${packages[version]}react`,
      'react-dom': `${packages[version]}react-dom`,
      '@parley/react': `${root}sdk/react/src/index.ts`,
      '@parley/sdk/player': `${root}sdk/src/player/index.ts`,
      '@parley/sdk/effects': `${root}sdk/src/effects/index.ts`,
      '@parley/sdk': `${root}sdk/src/index.ts`,
    },
    define: { 'process.env.NODE_ENV': '"development"', 'import.meta.url': '""' },
  });
  const [script = '', styles = ''] = ['.js', '.css'].map(
    (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text,
  );
  if (platform === 'node') return script;
  // The security policy of the server's pages allows no inline styles.
  return `${script}
    const styles = new CSSStyleSheet();
    styles.replaceSync(${JSON.stringify(styles)});
    document.adoptedStyleSheets.push(styles);`;
}
