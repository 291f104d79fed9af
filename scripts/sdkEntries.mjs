/*
 * The entries of the npm package @parley/sdk: `@parley/sdk` and `@parley/sdk/<name>`. To add one, add it here and to `exports` in
 * sdk/package.json; test/docs/package.test.ts checks that both name the same.
 */

/**
 * @typedef {object} Entry
 * @property {string} name the file in sdk/dist, without its suffix
 * @property {string} source
 * @property {number} limitKB the maximum size with its dependencies, gzipped, without what it loads later
 */

/** @type {Entry[]} */
export const sdkEntries = [
  { name: 'index', source: 'sdk/src/index.ts', limitKB: 75 },
  { name: 'http', source: 'sdk/src/httpEntry.ts', limitKB: 16 },
  { name: 'effects', source: 'sdk/src/effects/index.ts', limitKB: 10 },
  { name: 'player', source: 'sdk/src/player/index.ts', limitKB: 15 },
  { name: 'webhooks', source: 'sdk/src/webhooksEntry.ts', limitKB: 4 },
];

/** The maximum size of everything that an app can load, gzipped. */
export const wholeLimitKB = 120;

/** esbuild's entry points of the package. */
export const entryPoints = Object.fromEntries(sdkEntries.map(({ name, source }) => [name, source]));
