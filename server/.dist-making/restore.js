import { openBundle } from './openBundle.mjs';
const { programs } = openBundle(new URL('programs-Y6ESBV7Z.cjs', import.meta.url));
await programs.restore();
