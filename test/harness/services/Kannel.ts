import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installed } from '../run/installed.ts';
import { freePorts } from '../nodes/ports.ts';
import { until } from '../until.ts';

interface KannelText {
  from: string;
  to: string;
  text: string;
}

interface KannelOptions {
  /** The port of the SMSC that Kannel binds to. */
  port: number;
  systemId: string;
  password: string;
}

const limitMs = 60_000;

/** Debian's Kannel, an SMS gateway with an independent SMPP client, which splits and joins long texts. */
export class Kannel {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  readonly #web: Server;
  #sendPort = 0;
  /** The texts received so far, with their parts joined. */
  readonly texts: KannelText[] = [];
  log = '';

  static async start(options: KannelOptions): Promise<Kannel> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-kannel-'));
    const web = createServer().listen(0, '127.0.0.1');
    await once(web, 'listening');
    const kannel = new Kannel(folder, web);
    try {
      await kannel.#run(options);
    } catch (error) {
      await kannel.stop();
      throw error;
    }
    return kannel;
  }

  private constructor(folder: string, web: Server) {
    this.#folder = folder;
    this.#web = web;
    web.on('request', (request, response) => {
      this.texts.push(textIn(request.url ?? ''));
      response.end();
    });
  }

  /** @param isGsm whether to send it in the GSM alphabet; otherwise in UCS-2 */
  async send(from: string, to: string, text: string, isGsm: boolean): Promise<void> {
    const coded = isGsm ? { coding: '0', charset: 'UTF-8', text } : { coding: '2', charset: 'UTF-8', text };
    const query = new URLSearchParams({
      username: 'parley',
      password: 'parley',
      from,
      to,
      ...coded,
    }).toString();
    const response = await fetch(`http://127.0.0.1:${this.#sendPort}/cgi-bin/sendsms?${query}`);
    if (response.status !== 202) throw new Error(`Kannel: ${response.status} ${await response.text()}`);
  }

  arrived = (text: string) =>
    until(() => this.texts.find((each) => each.text === text), `Kannel has ${text.slice(0, 20)}`, limitMs);

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    this.#web.closeAllConnections();
    this.#web.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(options: KannelOptions): Promise<void> {
    const first = await freePorts(3);
    this.#sendPort = first + 2;
    const { port: webPort } = this.#web.address() as AddressInfo;
    const file = join(this.#folder, 'kannel.conf');
    await writeFile(file, configuration({ ...options, first, webPort, folder: this.#folder }));
    const bearerbox = installed('kannel');
    this.#spawn(bearerbox, file);
    await until(() => this.log.includes('bind_transceiver_resp'), 'Kannel is bound', limitMs).catch(() =>
      this.#fail(),
    );
    this.#spawn(join(dirname(bearerbox), 'smsbox'), file);
    const answers = () =>
      fetch(`http://127.0.0.1:${this.#sendPort}/`).then(
        () => true,
        () => false,
      );
    await until(answers, 'Kannel accepts texts', limitMs).catch(() => this.#fail());
  }

  #spawn(program: string, file: string): void {
    const child = spawn(program, ['-v', '0', file], { cwd: this.#folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer) => (this.log += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    this.#children.push(child);
  }

  #fail(): never {
    throw new Error(`Kannel did not start:\n${this.log.slice(-4_000)}`);
  }
}

/** Decodes a text from Kannel's URL, whose octets are percent-encoded in the charset that the URL names. */
function textIn(address: string): KannelText {
  const [, text = ''] = /[?&]text=([^&]*)/.exec(address) ?? [];
  const { searchParams } = new URL(address, 'http://127.0.0.1');
  const [from = '', to = '', charset] = ['from', 'to', 'charset'].map((name) => searchParams.get(name) ?? '');
  const octets = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return { from, to, text: new TextDecoder(charset || 'utf-8').decode(Buffer.from(octets, 'latin1')) };
}

const configuration = (given: KannelOptions & { first: number; webPort: number; folder: string }) => `
group = core
admin-port = ${given.first}
admin-interface = 127.0.0.1
admin-password = parley
smsbox-port = ${given.first + 1}
smsbox-interface = 127.0.0.1
store-type = file
store-location = ${given.folder}/store

group = smsc
smsc = smpp
smsc-id = parley
host = 127.0.0.1
port = ${given.port}
smsc-username = ${given.systemId}
smsc-password = ${given.password}
system-type = ""
transceiver-mode = true
source-addr-ton = 1
source-addr-npi = 1
dest-addr-ton = 1
dest-addr-npi = 1

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${given.first + 1}
sendsms-interface = 127.0.0.1
sendsms-port = ${given.first + 2}

group = sendsms-user
username = parley
password = parley
concatenation = true
max-messages = 20

group = sms-service
keyword = default
catch-all = true
max-messages = 0
accept-x-kannel-headers = true
get-url = "http://127.0.0.1:${given.webPort}/?from=%p&to=%P&charset=%C&text=%b"
`;
