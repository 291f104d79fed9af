import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createPublicClient, erc20Abi, http, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { packagesAreInstalled } from '../../scripts/setup/installPackages.mjs';
import { keyScopes } from '../../sdk/protocol/http.ts';
import type { LiveStream } from '../../sdk/src/types.ts';
import { anvilAccount } from '../../server/chains/demo/DemoChain.ts';
import { launchChromium } from '../harness/browser/browser.ts';
import { copyDatabaseTemplate } from '../harness/nodes/databaseTemplate.ts';
import { installed } from '../harness/run/installed.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { WhipClients } from '../harness/clients/WhipClient.ts';
import { api, newCustomer, newKey, wrongBalances } from '../integration/money/accountSupport.ts';
import { bearer } from '../integration/support.ts';
import { root, type Block } from './blocks.ts';

const exampleLimitMs = 90_000;
const METRICS_TOKEN = 'a-token-of-your-own';

type Environment = Record<string, string | undefined>;

/** The account that pays for the x402 example. The demo chain gives it test dollars. */
const payerAccount = anvilAccount(3);

class PayerBalance {
  readonly #read: () => Promise<bigint>;
  #atStart = 0n;

  constructor(chainUrl: string, token: Address) {
    const chain = createPublicClient({ transport: http(chainUrl) });
    const owner = privateKeyToAccount(payerAccount.key).address;
    this.#read = () =>
      chain.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  }

  async start(): Promise<void> {
    this.#atStart = await this.#read();
  }

  async spent(): Promise<bigint> {
    return this.#atStart - (await this.#read());
  }
}

/**
 * A reader who follows the docs, with a copy of the checkout, a running server, and a shell with the environment variables that the pages
 * name.
 */
export class Reader {
  readonly #server: ServerProcess;
  readonly #checkout: string;
  readonly #environment: Environment;
  /** The wallet that the examples call and send messages to. */
  readonly #known: TestClient;
  readonly #host: TestClient;
  readonly #stream: LiveStream;
  readonly #whip: WhipClients;
  readonly #payer: PayerBalance;
  #publisher: ChildProcess | null = null;

  static async start(): Promise<Reader> {
    // `npm start` in an example would install missing packages, but in production without the development packages that tests need.
    if (!packagesAreInstalled(root, true))
      throw new Error('packages are missing or outdated: run npm install');
    const rtmpPort = String(await freePorts());
    const settings = {
      RTMP_PORT: rtmpPort,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      SIGNUP_CREDITS: '1000',
      METRICS_TOKEN,
    };
    const server = await ServerProcess.start(settings, ['--demo-chain']);
    const known = await TestClient.signIn(server.url, privateKeyToAccount(anvilAccount(1).key));
    const host = await TestClient.signIn(server.url);
    const stream = await host.parley.streaming.create({ title: 'Friday' });
    const whip = await WhipClients.create();
    const { secret } = await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes });
    const account = await api(server.url, 'GET', '/account', bearer(secret));
    const [, chainUrl, token] = /at (http:\S+), test dollars at (0x\w+)/.exec(server.log) ?? [];
    const environment = {
      PATH: [installed('ffmpeg'), installed('whipClient')]
        .map((tool) => dirname(tool))
        .concat(process.env.PATH ?? '')
        .join(delimiter),
      HOME: process.env.HOME,
      ...whip.environment,
      PARLEY_URL: server.url,
      PARLEY_KEY: secret,
      DATA_DIR: server.dataDir,
      ACCOUNT_ID: String(account.body.id),
      RTMP_URL: stream.rtmpUrl ?? '',
      WHIP_URL: stream.url,
      WHEP_URL: stream.whepUrl,
      PLAYBACK_URL: stream.playbackUrl,
      STREAM_KEY: stream.streamKey,
      KEY: payerAccount.key,
      TOKEN: token,
    };
    const checkout = await mkdtemp(join(tmpdir(), 'parley-docs-'));
    const entries = (await readdir(root)).filter((name) => !name.startsWith('.'));
    await Promise.all(entries.map((name) => symlink(join(root, name), join(checkout, name))));
    const payer = new PayerBalance(chainUrl ?? '', token as Address);
    await payer.start();
    return new Reader({ server, checkout, environment, known, host, stream, whip, payer });
  }

  private constructor(parts: {
    server: ServerProcess;
    checkout: string;
    environment: Environment;
    known: TestClient;
    host: TestClient;
    stream: LiveStream;
    whip: WhipClients;
    payer: PayerBalance;
  }) {
    this.#server = parts.server;
    this.#checkout = parts.checkout;
    this.#environment = parts.environment;
    this.#known = parts.known;
    this.#host = parts.host;
    this.#stream = parts.stream;
    this.#whip = parts.whip;
    this.#payer = parts.payer;
  }

  async follow(block: Block): Promise<void> {
    const { language, mode, source, output } = block;
    if (language === 'html') return this.#open(source);
    if (mode === 'server') return this.#startServer(source);
    if (mode === 'publishes') return this.#publish(source);
    const printed = await (language === 'sh'
      ? this.#run('bash', ['-euo', 'pipefail', '-c', source])
      : this.#runProgram(language, source));
    if (output !== undefined) expect(printed).toMatch(likeOutput(output));
  }

  /** The amount that the payer's wallet has spent since the start, in the smallest unit of the token. A cent is 10,000 units. */
  spentByPayer(): Promise<bigint> {
    return this.#payer.spent();
  }

  /** The accounts whose balance differs from the sum of their movements in the ledger. */
  wrongBalances(): Promise<unknown[]> {
    return wrongBalances(this.#server);
  }

  async close(): Promise<void> {
    await this.#stopPublisher();
    await this.#whip.close();
    this.#known.close();
    this.#host.close();
    await this.#server.dispose();
    await rm(this.#checkout, { recursive: true, force: true });
  }

  async #runProgram(language: string, source: string): Promise<string> {
    // The file names differ in more than the extension, because tsx would otherwise run the TypeScript file in both cases.
    const file = language === 'ts' ? 'example.mts' : 'script.mjs';
    await writeFile(join(this.#checkout, file), source);
    return this.#run(process.execPath, ['--import', 'tsx', file]);
  }

  /**
   * Runs a command.
   * @returns its standard output
   * @throws Error if it fails
   */
  async #run(command: string, args: string[]): Promise<string> {
    const child = this.#spawn(command, args, this.#environment);
    const { outputOf, errorsOf } = collect(child);
    const timer = setTimeout(() => killGroup(child, 'SIGKILL'), exampleLimitMs);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`exit code ${code}\n${outputOf()}${errorsOf()}`);
    return outputOf();
  }

  /** Spawns a process in a group of its own, so that its child processes can be killed with it. */
  #spawn(command: string, args: string[], env: Environment): ChildProcess {
    return spawn(command, args, {
      cwd: this.#checkout,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /**
   * Starts the server of an example, with free ports and a new data folder, and on loopback instead of a public address. Stops it once
   * it is ready.
   */
  async #startServer(source: string): Promise<void> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
    await copyDatabaseTemplate(dataDir);
    const first = await freePorts(4);
    const env = {
      ...this.#environment,
      DATA_DIR: dataDir,
      PORT: String(first),
      CLUSTER_PORT: String(first + 1),
      MEDIA_PORT: String(first + 2),
      MEDIA_WORKERS: '1',
      RTMP_PORT: '0',
    };
    const script = source.replace('HOST=0.0.0.0', 'HOST=127.0.0.1');
    const child = this.#spawn('bash', ['-euo', 'pipefail', '-c', script], env);
    const { outputOf, errorsOf } = collect(child);
    try {
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`the process ended:\n${outputOf()}${errorsOf()}`);
        return fetch(`http://127.0.0.1:${first}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      }, 'the server is ready');
      killGroup(child, 'SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    } finally {
      killGroup(child, 'SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  /** Starts a publisher, which keeps publishing during the examples that follow. */
  async #publish(source: string): Promise<void> {
    await this.#stopPublisher();
    const child = this.#spawn('bash', ['-euo', 'pipefail', '-c', source], this.#environment);
    const { outputOf, errorsOf } = collect(child);
    this.#publisher = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the process ended:\n${outputOf()}${errorsOf()}`);
      return this.#isSending();
    }, 'the stream is live');
  }

  async #stopPublisher(): Promise<void> {
    if (!this.#publisher) return;
    killGroup(this.#publisher, 'SIGKILL');
    this.#publisher = null;
    await until(async () => !(await this.#isSending()), 'the publisher is gone');
  }

  async #isSending(): Promise<boolean> {
    return (await this.#host.parley.streaming.get(this.#stream.id)).isSending;
  }

  /** Opens an HTML example as a page of this machine, in a browser with a wallet. The page calls the known wallet, which declines. */
  async #open(source: string): Promise<void> {
    const account = privateKeyToAccount(generatePrivateKey());
    const page = source.replace('http://127.0.0.1:3000', this.#server.url);
    const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
    await once(site.listen(0, '127.0.0.1'), 'listening');
    const browser = await launchChromium();
    const incoming = new Promise<string>((resolve) =>
      this.#known.parley.on('call:incoming', ({ id }) => resolve(id)),
    );
    try {
      const context = await browser.newContext();
      await context.exposeFunction('askWallet', async (method: string, [data]: [`0x${string}`]) =>
        method === 'personal_sign' ? account.signMessage({ message: { raw: data } }) : [account.address],
      );
      await context.addInitScript(() => {
        const wallet = window as unknown as Record<string, unknown> & {
          askWallet: (method: string, parameters: unknown) => Promise<unknown>;
        };
        const request = ({ method, params = [] }: { method: string; params?: unknown }) =>
          wallet.askWallet(method, params);
        wallet.ethereum = { request };
      });
      const tab = await context.newPage();
      const failed = new Promise<never>((_, reject) => tab.on('pageerror', reject));
      await tab.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
      const id = await Promise.race([incoming, failed]);
      await this.#known.parley.calls.decline(id);
    } finally {
      await browser.close();
      site.close();
    }
  }
}

function collect(child: ChildProcess) {
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return { outputOf: () => output, errorsOf: () => errors };
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (!pid) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}

/** A pattern for the output, where `…` matches any text within a line. */
function likeOutput(output: string): RegExp {
  const literal = output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
  return new RegExp(`^${literal}$`);
}
