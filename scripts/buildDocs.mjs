import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Application } from 'typedoc';
import { compressFolder } from './compressFolder.mjs';

/*
 * Makes the files that the pages at /docs load: `node scripts/buildDocs.mjs <folder>`. The HTTP API is shown by Swagger UI, the SDK and the
 * realtime protocol by TypeDoc.
 */

const [, , folder = ''] = process.argv;
await mkdir(folder, { recursive: true });
for (const name of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'])
  await copyFile(join('node_modules/swagger-ui-dist', name), join(folder, name));
await compressFolder(folder);
const reference = join(folder, 'reference');
await buildReference(reference);
// Most of the 200 pages are small, and compressing all of them would take longer than making them.
for (const name of ['assets', 'documents']) await compressFolder(join(reference, name));

/** @param {string} out */
async function buildReference(out) {
  const app = await Application.bootstrap({
    name: 'Parley reference',
    entryPoints: ['sdk/api.d.ts'],
    // Only the types of the SDK: reading the whole repository would take four times as long.
    tsconfig: 'scripts/docs/tsconfig.json',
    readme: 'sdk/README.md',
    customCss: 'scripts/docs/reference.css',
    navigationLinks: { 'HTTP API': '/docs/', Console: '/' },
    sort: ['source-order'],
    groupOrder: ['Documents', 'Classes', 'Functions', 'Interfaces', '*'],
    disableSources: true,
    disableGit: true,
    githubPages: false,
    hideGenerator: true,
    // Otherwise, Socket.IO becomes a link.
    markdownItOptions: { html: true, linkify: false },
    includeHierarchySummary: false,
    treatWarningsAsErrors: true,
    // The types were checked when sdk/api.d.ts was generated.
    skipErrorChecking: true,
  });
  const project = await app.convert();
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc could not read the types of the SDK.');
  await app.generateDocs(project, out);
  await adaptPages(out);
  // The search takes a colon for the end of a field's name, and then finds no events, such as `call:incoming`.
  const main = join(out, 'assets/main.js');
  const code = await readFile(main, 'utf8');
  await writeFile(main, code.replace(/`\*\$\{(\w+)\}\*`/, '`*${$1.replaceAll(":","\\\\:")}*`'));
}

/**
 * Moves the script that is part of each page into a file, because the server's content security policy blocks inline scripts, and makes
 * tables focusable, because not every browser lets the keyboard scroll them otherwise.
 * @param {string} out
 */
async function adaptPages(out) {
  const names = await readdir(out, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.html'))) {
    const page = await readFile(join(out, name), 'utf8');
    const base = /data-base="([^"]*)"/.exec(page)?.[1] ?? './';
    const [inline = '', script = ''] = /<script>([^<]*)<\/script>/.exec(page) ?? [];
    await writeFile(join(out, 'assets/start.js'), script);
    const adapted = page
      .replace(inline, `<script src="${base}assets/start.js"></script>`)
      .replaceAll('<table>', '<table tabindex="0">');
    await writeFile(join(out, name), adapted);
  }
}
