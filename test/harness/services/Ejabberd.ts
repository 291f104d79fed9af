import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from '../run/installed.ts';
import { freePorts } from '../nodes/ports.ts';
import { until } from '../until.ts';

export const xmppAdmin = { user: 'admin@xmpp.example', password: 'administrator password' };

/**
 * Debian's ejabberd with a temporary configuration and data folder, on loopback. It is started as ejabberdctl would start it, but without
 * Erlang's distribution, so no epmd runs and only its two ports are open.
 */
export class Ejabberd {
  readonly domain = 'xmpp.example';
  readonly #folder: string;
  readonly #port: number;
  readonly #httpPort: number;
  readonly #archive: Archive | null;
  #child: ChildProcess | null = null;
  #output = '';

  /** @param archive the database in which it archives all messages (XEP-0313). Default: it archives none */
  static async start(archive: Archive | null = null): Promise<Ejabberd> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-xmpp-'));
    const first = await freePorts(2);
    const ejabberd = new Ejabberd(folder, first, archive);
    try {
      await ejabberd.#start();
    } catch (error) {
      await ejabberd.dispose();
      throw error;
    }
    return ejabberd;
  }

  private constructor(folder: string, first: number, archive: Archive | null) {
    this.#archive = archive;
    this.#folder = folder;
    this.#port = first;
    this.#httpPort = first + 1;
  }

  get apiUrl() {
    return `http://127.0.0.1:${this.#httpPort}/api`;
  }

  get port() {
    return this.#port;
  }

  get pid() {
    return this.#child?.pid ?? 0;
  }

  /** The address for TCP clients. */
  get service() {
    return `xmpp://127.0.0.1:${this.#port}`;
  }

  get websocketUrl() {
    return `ws://127.0.0.1:${this.#httpPort}/ws`;
  }

  /** Runs an API command as the administrator. @returns status and body */
  async call(command: string, body: object): Promise<[number, unknown]> {
    const { user, password } = xmppAdmin;
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const reply = await fetch(`${this.apiUrl}/${command}`, init);
    return [reply.status, await reply.json()];
  }

  async dispose(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const path = (name: string) => join(this.#folder, name);
    await mkdir(path('spool'));
    await writeFile(path('ejabberd.yml'), this.#configuration());
    const [name, domain] = xmppAdmin.user.split('@');
    const { password } = xmppAdmin;
    const makeAdmin = `ok = ejabberd_auth:try_register(<<"${name}">>, <<"${domain}">>, <<"${password}">>).`;
    const env = {
      PATH: process.env.PATH,
      HOME: this.#folder,
      ERL_LIBS: await librariesOf(installed('ejabberd')),
      EJABBERD_CONFIG_PATH: path('ejabberd.yml'),
      EJABBERD_LOG_PATH: path('ejabberd.log'),
      ERL_CRASH_DUMP: path('crash'),
    };
    const args = [
      '-noinput',
      '-mnesia',
      'dir',
      JSON.stringify(path('spool')),
      '-s',
      'ejabberd',
      '-eval',
      makeAdmin,
    ];
    const child = spawn('erl', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`ejabberd did not start:\n${this.#output}`);
      const admin = { user: name, host: domain, password };
      const [status] = await this.call('check_password', admin).catch(() => [0]);
      return status === 200;
    };
    await until(isReady, 'ejabberd answers');
  }

  #configuration(): string {
    return `hosts: ["${this.domain}"]
loglevel: warning
listen:
  - {port: ${this.#port}, ip: "127.0.0.1", module: ejabberd_c2s}
  - {port: ${this.#httpPort}, ip: "127.0.0.1", module: ejabberd_http, request_handlers: {/api: mod_http_api, /ws: ejabberd_http_ws}}
auth_method: internal
auth_password_format: scram
acl:
  admin: {user: ["${xmppAdmin.user}"]}
api_permissions:
  provisioning:
    from: [mod_http_api]
    who: {acl: admin}
    what: [register, unregister, check_password, check_account]
${this.#archive ? sqlOf(this.#archive) : ''}modules:
  mod_http_api: {}
  mod_admin_extra: {}
${this.#archive ? archiving : ''}`;
  }
}

/** A PostgreSQL server without passwords, with the tables of `archiveTables`. */
export interface Archive {
  port: number;
  user: string;
  database: string;
}

const sqlOf = ({ port, user, database }: Archive) => `sql_type: pgsql
sql_server: "127.0.0.1"
sql_port: ${port}
sql_database: "${database}"
sql_username: "${user}"
sql_password: ""
`;

const archiving = `  mod_stream_mgmt: {}
  mod_mam: {db_type: sql, default: always}
`;

/** The SQL that creates ejabberd's tables, from its package. */
export const archiveTables = () => readFile('/usr/share/ejabberd/sql/pg.sql', 'utf8');

/** Reads the folder of ejabberd's modules from its ejabberdctl script. */
async function librariesOf(ejabberdctl: string): Promise<string> {
  const [, folder] = /^ERL_LIBS='([^']+)'/m.exec(await readFile(ejabberdctl, 'utf8')) ?? [];
  if (!folder) throw new Error(`${ejabberdctl} does not set ERL_LIBS`);
  return folder;
}
