/**
 * The walls of the house, for `npm run check`: who may import whom, types included. docs/architecture.md draws them.
 * Tests and their harness may import everything.
 */

const tests = '\\.test\\.tsx?$';

/**
 * @param {string} name
 * @param {string} comment why
 * @param {string} path a regular expression: the files the rule is for
 * @param {string} to a regular expression: what they may not import
 * @param {{ pathNot?: string }} [but] exceptions among what they import
 */
const mayNotImport = (name, comment, path, to, but = {}) => ({
  name,
  comment,
  severity: /** @type {const} */ ('error'),
  from: { path, pathNot: tests },
  to: { path: to, ...but },
});

/** The HTTP API's floors, from the top down; each may import those below it. */
const domains =
  'chains|esim|files|identity|installation|leaksearch|outgoing|push|recording|streaming|telephony|transcription|xmpp';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment:
        'Files that import each other in a circle can only be understood together. Move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    mayNotImport(
      'platform-is-the-ground',
      'What both sides stand on imports nobody above it.',
      '^platform/',
      '^(media|signaling|server|sdk/src|test|scripts)/',
    ),
    mayNotImport(
      'media-below-signaling',
      'media imports platform and sdk/protocol only.',
      '^media/',
      '^(signaling|server|sdk/src|test|scripts)/',
    ),
    mayNotImport(
      'signaling-below-server',
      'signaling imports media, platform and sdk/protocol only.',
      '^signaling/',
      '^(server|sdk/src|test|scripts)/',
    ),
    mayNotImport(
      'server-on-top',
      'The server shares sdk/protocol with the SDK, not the client.',
      '^server/(?!console/)',
      '^(sdk/src|server/console|test|scripts)/',
    ),
    mayNotImport(
      'sdk-alone',
      'The SDK knows sdk/protocol only.',
      '^sdk/',
      '^(platform|media|signaling|server|test|scripts)/',
    ),
    mayNotImport(
      'protocol-alone',
      'The protocol is shared by everybody and imports nobody.',
      '^sdk/protocol/',
      '^sdk/src/',
    ),
    mayNotImport(
      'console-through-the-front-door',
      'The console imports the published surface of @parley/sdk, like every other app.',
      '^server/console/src/',
      '^(platform|media|signaling|server/(?!console/)|sdk/(src/(?!index\\.ts$)|protocol)|test|scripts)/',
    ),

    mayNotImport(
      'socket-below-rules',
      'The Socket.IO side knows no rules: they register with it.',
      '^signaling/socket/',
      '^signaling/(?!socket/)',
    ),
    mayNotImport(
      'sdk-folders-below-namespaces',
      'Namespaces are made of these folders, not the other way around.',
      '^sdk/src/[^/]+/',
      '^sdk/src/(?!types\\.ts)[^/]+\\.ts$',
    ),

    mayNotImport(
      'media-router-lowest',
      'One router knows nothing of rooms and nodes.',
      '^media/router/',
      '^media/(room|cluster)/',
    ),
    mayNotImport(
      'media-room-below-cluster',
      'A room knows no other node: the cluster brings its routers.',
      '^media/room/',
      '^media/cluster/',
    ),
    mayNotImport(
      'media-worker-alone',
      'The worker process is found, built and started without the rest.',
      '^media/worker/',
      '^media/(?!worker/)',
    ),

    mayNotImport(
      'compose-imported-by-main-alone',
      'Only the program and its commands compose parts.',
      '^server/(?!compose/|commands/|main\\.ts)',
      '^server/(compose|commands)/',
    ),
    mayNotImport(
      'api-on-top-of-domains',
      'Domains know nothing of the API that mounts them.',
      `^server/(${domains}|money|http|config)/`,
      '^server/api/',
    ),
    mayNotImport(
      'money-below-domains',
      'Accounts and payments know nothing of what is sold.',
      '^server/money/',
      `^server/(?!(identity|chains|outgoing)/)(${domains})/`,
    ),
    mayNotImport(
      'http-kit-lowest',
      'The HTTP kit knows no domain.',
      '^server/http/',
      `^server/(${domains}|money|api)/`,
    ),
    mayNotImport(
      'config-lowest',
      'Settings know no part that they are for.',
      '^server/config/',
      '^server/(?!config/|outgoing/isAllowedAddress)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js'] },
    cache: { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'metadata' },
  },
};
