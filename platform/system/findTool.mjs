import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Outside programs, each with its Debian package, its commands on different systems, and an environment variable that overrides these. */
const tools = {
  chromium: {
    package: 'chromium',
    variable: 'CHROMIUM_BIN',
    commands: [
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
  },
  /** Chromium without its user interface, which needs less CPU time. */
  headlessShell: {
    package: 'chromium-headless-shell',
    variable: 'HEADLESS_SHELL_BIN',
    commands: ['chromium-headless-shell'],
  },
  firefox: {
    package: 'firefox-esr',
    variable: 'FIREFOX_BIN',
    commands: ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
  },
  redis: { package: 'redis-server', variable: 'REDIS_SERVER_BIN', commands: ['redis-server'] },
  coturn: { package: 'coturn', variable: 'TURNSERVER_BIN', commands: ['turnserver'] },
  iproute2: { package: 'iproute2', variable: 'IP_BIN', commands: ['ip', '/usr/sbin/ip', '/sbin/ip'] },
  ejabberd: {
    package: 'ejabberd',
    variable: 'EJABBERDCTL_BIN',
    commands: ['ejabberdctl', '/usr/sbin/ejabberdctl'],
  },
  /** Only the benchmarks need it. */
  janus: { package: 'janus', variable: 'JANUS_BIN', commands: ['janus'] },
  /** Kannel's other program, smsbox, is in the same folder. */
  kannel: { package: 'kannel', variable: 'BEARERBOX_BIN', commands: ['bearerbox', '/usr/sbin/bearerbox'] },
  /** Its other program, promtool, is in the same folder. */
  prometheus: { package: 'prometheus', variable: 'PROMETHEUS_BIN', commands: ['prometheus'] },
  apache: { package: 'apache2-bin', variable: 'APACHE_BIN', commands: ['apache2', '/usr/sbin/apache2'] },
  caddy: { package: 'caddy', variable: 'CADDY_BIN', commands: ['caddy'] },
  haproxy: { package: 'haproxy', variable: 'HAPROXY_BIN', commands: ['haproxy', '/usr/sbin/haproxy'] },
  nginx: { package: 'nginx-light', variable: 'NGINX_BIN', commands: ['nginx', '/usr/sbin/nginx'] },
  pgbouncer: {
    package: 'pgbouncer',
    variable: 'PGBOUNCER_BIN',
    commands: ['pgbouncer', '/usr/sbin/pgbouncer'],
  },
  ffmpeg: { package: 'ffmpeg', variable: 'FFMPEG_BIN', commands: ['ffmpeg'] },
  vlc: { package: 'vlc-bin', variable: 'VLC_BIN', commands: ['cvlc'] },
  /** The WebDriver of WebKitGTK, with a browser. */
  webKit: { package: 'webkit2gtk-driver', variable: 'WEBKIT_DRIVER_BIN', commands: ['WebKitWebDriver'] },
  /** A virtual display for it. */
  xvfb: { package: 'xvfb', variable: 'XVFB_BIN', commands: ['Xvfb'] },
  /** Builds what whip-client lacks in Debian 12 (test/harness/clients/WhipClient.ts). */
  cc: { package: 'gcc', variable: 'CC', commands: ['cc', 'gcc', 'clang'] },
  /** These tools run WHIP and WHEP clients that were not written for this server (test/strangers). */
  go: { package: 'golang-go', variable: 'GO_BIN', commands: ['go'] },
  python: { package: 'python3', variable: 'PYTHON_BIN', commands: ['/usr/bin/python3'] },
  whipClient: { package: 'simple-whip-client', variable: 'WHIP_CLIENT_BIN', commands: ['whip-client'] },
};

/** @typedef {keyof typeof tools} Tool */

/**
 * The Debian packages of the libraries that test/strangers, VLC and the benchmark beside ejabberd need. Each is found by a file below
 * /usr/share, /usr/lib or this architecture's folder in /usr/lib.
 */
const libraries = {
  'golang-github-pion-webrtc.v3-dev': 'gocode/src/github.com/pion/webrtc/go.mod',
  'python3-aiortc': 'python3/dist-packages/aiortc/__init__.py',
  'python3-gi': 'python3/dist-packages/gi/__init__.py',
  'gir1.2-gst-plugins-bad-1.0': 'girepository-1.0/GstWebRTC-1.0.typelib',
  'gstreamer1.0-plugins-base': 'gstreamer-1.0/libgstopus.so',
  'gstreamer1.0-plugins-good': 'gstreamer-1.0/libgstvpx.so',
  'gstreamer1.0-plugins-bad': 'gstreamer-1.0/libgstwebrtc.so',
  'gstreamer1.0-plugins-ugly': 'gstreamer-1.0/libgstx264.so',
  'gstreamer1.0-libav': 'gstreamer-1.0/libgstlibav.so',
  'gstreamer1.0-nice': 'gstreamer-1.0/libgstnice.so',
  'vlc-plugin-base': 'vlc/plugins/demux/libadaptive_plugin.so',
  // Its other files are in a folder whose name contains the version.
  'erlang-p1-pgsql': 'doc/erlang-p1-pgsql/copyright',
};

/** @returns {string[]} the Debian packages of the libraries that are not installed */
export function missingLibraryPackages() {
  const architectures = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'))
    : [];
  const folders = ['/usr/share', '/usr/lib', ...architectures.map((name) => join('/usr/lib', name))];
  return Object.entries(libraries)
    .filter(([, file]) => !folders.some((folder) => existsSync(join(folder, file))))
    .map(([name]) => name);
}

/**
 * @param {Tool} tool
 * @returns {string | undefined} the absolute path of the program, if it is installed
 */
export function findTool(tool) {
  const { variable, commands } = tools[tool];
  const named = process.env[variable];
  return named ? findCommand(named) : commands.map(findCommand).find((path) => path !== undefined);
}

/**
 * @param {Tool[]} wanted
 * @returns {string[]} the Debian packages of the tools that are not installed
 */
export function missingToolPackages(wanted) {
  return wanted.filter((tool) => !findTool(tool)).map((tool) => tools[tool].package);
}

/**
 * @param {string} command a name to look up in PATH, or a path
 * @returns {string | undefined} its path
 */
export function findCommand(command) {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    // Folders are executable, too.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
