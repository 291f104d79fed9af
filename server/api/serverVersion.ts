import { readFileSync } from 'node:fs';

const file = new URL('../../package.json', import.meta.url);

/** The release of this server. */
export const serverVersion = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
