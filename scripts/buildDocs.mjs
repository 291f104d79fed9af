import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { compressFolder } from './compressFolder.mjs';

/* Copies and compresses the files that the page at /docs loads: `node scripts/buildDocs.mjs <folder>`. */

const [, , folder = ''] = process.argv;
await mkdir(folder, { recursive: true });
for (const name of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'])
  await copyFile(join('node_modules/swagger-ui-dist', name), join(folder, name));
await compressFolder(folder);
