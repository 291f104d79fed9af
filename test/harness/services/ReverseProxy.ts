import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../nodes/ports.ts';
import { installed } from '../run/installed.ts';
import { until } from '../until.ts';

export const proxies = ['caddy', 'nginx', 'haproxy', 'apache'] as const;
export type ProxyName = (typeof proxies)[number];

/** Debian's Caddy, nginx, HAProxy or Apache, with a configuration from the docs. */
export class ReverseProxy {
  readonly url: string;
  readonly #folder: string;
  readonly #process: ChildProcess;
  #log = '';

  /**
   * @param configuration for calls.example.org at port 443, before a server at port 3000
   * @param certificate the folder with fullchain.pem, privkey.pem and combined.pem of localhost
   * @param upstreamPort the port of the server
   */
  static async start(
    name: ProxyName,
    configuration: string,
    { certificate, upstreamPort }: { certificate: string; upstreamPort: number },
  ): Promise<ReverseProxy> {
    const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
    const port = await freePorts(1);
    const file = join(folder, 'configuration');
    const placed = configuration
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${upstreamPort}`)
      .replaceAll('/etc/ssl/calls.example.org', certificate)
      .replace('<VirtualHost *:443>', `<VirtualHost 127.0.0.1:${port}>`)
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('calls.example.org {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls internal`)
      .replace('calls.example.org', 'localhost');
    const { text, args } = runs[name](placed, { folder, file, port });
    await writeFile(file, text);
    const child = spawn(installed(name), args, {
      env: { ...process.env, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const proxy = new ReverseProxy(`https://localhost:${port}`, child, folder);
    await until(() => proxy.#isListening(port), `${name} listens`);
    return proxy;
  }

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#process = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
  }

  async close(): Promise<void> {
    if (!this.#hasEnded) {
      // A signal that also ends the processes of nginx's workers.
      this.#process.kill('SIGTERM');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async #isListening(port: number): Promise<boolean> {
    if (this.#hasEnded) throw new Error(`the proxy ended:\n${this.#log}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  }
}

const apacheModules = ['mpm_event', 'authz_core', 'ssl', 'http2', 'headers', 'proxy', 'proxy_http'];

interface Place {
  folder: string;
  file: string;
  port: number;
}

/** What each program needs besides the configuration of the docs, so that it runs in the foreground and without the files of a system. */
const runs: Record<ProxyName, (configuration: string, place: Place) => { text: string; args: string[] }> = {
  caddy: (configuration, { file }) => ({
    text: `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${configuration}`,
    args: ['run', '--config', file, '--adapter', 'caddyfile'],
  }),
  nginx: (configuration, { folder, file }) => ({
    text: `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${folder};
      proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      ${configuration} }`,
    args: ['-e', 'stderr', '-c', file],
  }),
  haproxy: (configuration, { file }) => ({ text: configuration, args: ['-db', '-f', file] }),
  apache: (configuration, { folder, file, port }) => ({
    text: [
      ...apacheModules.map(
        (module) => `LoadModule ${module}_module /usr/lib/apache2/modules/mod_${module}.so`,
      ),
      `ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile pid\nErrorLog "|$cat >&2"\nServerName localhost\nListen 127.0.0.1:${port}`,
      ...(process.getuid?.() === 0 ? ['User www-data\nGroup www-data'] : []),
      configuration,
    ].join('\n'),
    args: ['-DFOREGROUND', '-f', file],
  }),
};
