import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createSdkProgram, printSurface } from './docs/printSurface.mjs';
import { sdkEntries } from './sdkEntries.mjs';

/* Prints the types of the entries of @parley/sdk, but for its main entry, whose types are sdk/api.d.ts: `node scripts/printSdkTypes.mjs <folder>`. */

const root = fileURLToPath(new URL('..', import.meta.url));
const [, , folder = ''] = process.argv;
await mkdir(folder, { recursive: true });
const program = createSdkProgram();
for (const { name, source } of sdkEntries.filter((entry) => entry.name !== 'index'))
  await writeFile(join(folder, `${name}.d.ts`), await printSurface(program, root + source));
