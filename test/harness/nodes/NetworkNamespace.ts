import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../browser/browser.ts';
import { installed } from '../run/installed.ts';

const iproute = installed('iproute2');
const ip = (...args: string[]) => execFileSync(iproute, args, { stdio: 'pipe' });
const tc = (...args: string[]) => execFileSync(join(dirname(iproute), 'tc'), args, { stdio: 'pipe' });

let namespaces = 0;

/**
 * A network namespace for a browser. It has one link to this machine, whose bandwidth can be limited. This machine's end of the link also
 * serves as an address that nobody else reaches. Needs root.
 */
export class NetworkNamespace {
  readonly hostAddress: string;
  readonly #index = ++namespaces;
  readonly #name: string;
  readonly #cable: string;
  #folder = '';
  #isLimited = false;

  static create(): NetworkNamespace {
    return new NetworkNamespace();
  }

  private constructor() {
    const index = this.#index;
    const net = `10.213.${80 + (process.pid % 160)}`;
    this.hostAddress = `${net}.${index * 4 + 1}`;
    const guestAddress = `${net}.${index * 4 + 2}`;
    this.#name = `parley-${process.pid}-${index}`;
    this.#cable = `pn${process.pid}${index}`;
    ip('netns', 'add', this.#name);
    ip(
      'link',
      'add',
      `${this.#cable}h`,
      'type',
      'veth',
      'peer',
      'name',
      `${this.#cable}g`,
      'netns',
      this.#name,
    );
    ip('addr', 'add', `${this.hostAddress}/30`, 'dev', `${this.#cable}h`);
    ip('link', 'set', `${this.#cable}h`, 'up');
    ip('-n', this.#name, 'addr', 'add', `${guestAddress}/30`, 'dev', `${this.#cable}g`);
    ip('-n', this.#name, 'link', 'set', `${this.#cable}g`, 'up');
    ip('-n', this.#name, 'link', 'set', 'lo', 'up');
  }

  /**
   * From now on, the namespace reaches nothing but TCP port 443.
   * @returns a second address of this machine, for a server beside the one at `hostAddress`
   */
  allowOnly443(): string {
    const second = this.hostAddress.replace('10.213.', '10.212.');
    ip('addr', 'add', `${second}/32`, 'dev', `${this.#cable}h`);
    ip('-n', this.#name, 'route', 'add', 'default', 'via', this.hostAddress);
    const port443 = ['ipproto', 'tcp', 'dport', '443', 'lookup', 'main'];
    ip('-n', this.#name, 'rule', 'add', 'pref', '100', ...port443);
    ip('-n', this.#name, 'rule', 'add', 'pref', '200', 'unreachable');
    return second;
  }

  /**
   * From now on, the namespace has no IPv4 address.
   * @returns an IPv6 address of this machine
   */
  useIPv6Only(): string {
    const prefix = `fd00:${(process.pid % 0x10000).toString(16)}:${this.#index}::`;
    const add = ['nodad', 'dev'];
    ip('-6', 'addr', 'add', `${prefix}1/64`, ...add, `${this.#cable}h`);
    ip('-n', this.#name, '-4', 'addr', 'flush', 'dev', `${this.#cable}g`);
    ip('-n', this.#name, '-6', 'addr', 'add', `${prefix}2/64`, ...add, `${this.#cable}g`);
    ip('-n', this.#name, '-6', 'route', 'add', 'default', 'via', `${prefix}1`);
    return `${prefix}1`;
  }

  /** @param secureOrigin the origin whose pages are treated as secure, so that they can use cameras without HTTPS @param args further options */
  async launchChromium(secureOrigin: string, ...args: string[]): Promise<Browser> {
    this.#folder = await mkdtemp(join(tmpdir(), 'parley-netns-'));
    const executablePath = join(this.#folder, 'chromium');
    const run = `${iproute} netns exec ${this.#name} ${installed('chromium')}`;
    await writeFile(executablePath, `#!/bin/sh\nexec ${run} "$@"\n`);
    await chmod(executablePath, 0o755);
    return launchChromium({
      executablePath,
      args: [`--unsafely-treat-insecure-origin-as-secure=${secureOrigin}`, ...args],
    });
  }

  /** The command line that runs a command in this namespace. */
  inside(...command: string[]): string[] {
    return [iproute, 'netns', 'exec', this.#name, ...command];
  }

  /** Limits the bandwidth into the namespace, with a queue of up to 300 ms; null lifts the limit. */
  limit(kbitPerSecond: number | null): void {
    const device = `${this.#cable}h`;
    if (this.#isLimited) tc('qdisc', 'del', 'dev', device, 'root');
    this.#isLimited = kbitPerSecond !== null;
    if (kbitPerSecond === null) return;
    const rate = ['rate', `${kbitPerSecond}kbit`, 'burst', '10kb', 'latency', '300ms'];
    tc('qdisc', 'add', 'dev', device, 'root', 'tbf', ...rate);
  }

  async remove(): Promise<void> {
    ip('netns', 'del', this.#name);
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }
}
