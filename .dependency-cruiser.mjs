/**
 * The imports between folders that are forbidden, including type imports. `npm run check` enforces these rules, and
 * docs/architecture.md describes them. Tests and their harness may import everything.
 */

const tests = '\\.test\\.tsx?$';

/**
 * @param {string} name
 * @param {string} comment the reason
 * @param {string} path a regular expression of the files that the rule applies to
 * @param {string} to a regular expression of the files that they may not import
 * @param {{ pathNot?: string }} [except] exceptions from `to`
 */
const mayNotImport = (name, comment, path, to, except = {}) => ({
  name,
  comment,
  severity: /** @type {const} */ ('error'),
  from: { path, pathNot: tests },
  to: { path: to, ...except },
});

/** The domains of the HTTP API. */
const domains =
  'backup|chains|doctor|esim|files|identity|installation|leaksearch|metrics|operator|outgoing|privacy|push|realtime|recording|streaming|telephony|transcription|turn|webhooks|xmpp';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment:
        'Files that import each other can only be understood together. Move the code that both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    mayNotImport(
      'platform-below-all',
      'platform is the lowest layer and imports no layer above it.',
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
      'The server shares only sdk/protocol with the SDK.',
      '^server/(?!console/)',
      '^(sdk/src|server/console|test|scripts)/',
    ),
    mayNotImport(
      'sdk-imports-protocol-only',
      'The SDK imports sdk/protocol only.',
      '^sdk/(?!embed/vite)',
      '^(platform|media|signaling|server|test|scripts)/',
    ),
    mayNotImport(
      'protocol-imports-nothing',
      'All layers share the protocol, so it imports none of them.',
      '^sdk/protocol/',
      '^sdk/src/',
    ),
    mayNotImport(
      'console-imports-sdk-only',
      'The console imports the published surface of @parley/sdk and @parley/react, like every other app.',
      '^server/console/src/',
      '^(platform|media|signaling|server/(?!console/)|sdk/((react/)?src/(?!((effects|player)/)?index\\.ts$)|protocol)|test|scripts)/',
    ),
    mayNotImport(
      'react-imports-sdk-only',
      'The React package imports the published surface of @parley/sdk, like every other app.',
      '^sdk/react/',
      '^sdk/(src/(?!((effects|player)/)?index\\.ts$)|protocol|embed)',
    ),
    mayNotImport(
      'embed-imports-packages-only',
      'The embedded pages import the published surfaces of @parley/sdk and @parley/react, like every other app.',
      '^sdk/embed/src/',
      '^sdk/((react/)?src/(?!((effects|player)/)?index\\.ts$)|protocol)',
    ),

    mayNotImport(
      'react-native-imports-sdk-only',
      'The package for React Native imports the published surface of @parley/sdk, like every app.',
      '^sdk/react-native/',
      '^(platform|media|signaling|server|sdk/(src/(?!index\\.ts$)|protocol)|test|scripts)/',
    ),
    mayNotImport(
      'library-internals-in-one-folder',
      'Undocumented parts of libraries are used in platform/internals only, where contract tests check them.',
      '^(platform/(?!internals/)|media|signaling|server|sdk)/',
      '^node_modules/(engine\\.io|node-media-server|socket\\.io-(adapter|parser)|@socket\\.io/redis-streams-adapter)/',
    ),
    mayNotImport(
      'socket-below-rules',
      'The Socket.IO layer does not import the realtime rules: they register with it.',
      '^signaling/socket/',
      '^signaling/(?!socket/)',
    ),
    mayNotImport(
      'sdk-folders-below-namespaces',
      'The namespaces at the root of sdk/src use these folders, not the other way around.',
      '^sdk/src/[^/]+/',
      '^sdk/src/(?!types\\.ts)[^/]+\\.ts$',
    ),

    mayNotImport(
      'media-router-lowest',
      'A router is independent of rooms and nodes.',
      '^media/router/',
      '^media/(room|cluster)/',
    ),
    mayNotImport(
      'media-room-below-cluster',
      'A room is independent of other nodes: the cluster provides its routers.',
      '^media/room/',
      '^media/cluster/',
    ),
    mayNotImport(
      'media-worker-independent',
      'Set-up finds, builds and starts the worker without the rest of media.',
      '^media/worker/',
      '^media/(?!worker/)',
    ),

    mayNotImport(
      'compose-imported-by-main-only',
      'Only the program and its commands use the composition root.',
      '^server/(?!compose/|commands/|main\\.ts)',
      '^server/(compose|commands)/',
    ),
    mayNotImport(
      'api-on-top-of-domains',
      'Domains are independent of the API that mounts them.',
      `^server/(${domains}|money|http|config)/`,
      '^server/api/',
    ),
    mayNotImport(
      'money-below-domains',
      'Accounts and payments are independent of the services sold.',
      '^server/money/',
      `^server/(?!(identity|chains|outgoing)/)(${domains})/`,
    ),
    mayNotImport(
      'http-kit-lowest',
      'The HTTP kit is independent of the domains.',
      '^server/http/',
      `^server/(${domains}|money|api)/`,
    ),
    mayNotImport(
      'config-lowest',
      'Settings are independent of the code that uses them.',
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
