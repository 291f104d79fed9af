import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from '../nodes/ports.ts';
import { installed } from '../run/installed.ts';
import { until } from '../until.ts';

interface Series {
  metric: Record<string, string>;
  value: [time: number, value: string];
}

/** Debian's Prometheus, which reads the metrics of servers every second. */
export class Prometheus {
  readonly #url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  /**
   * @param targets the addresses of the servers (host:port)
   * @param rules the path of a file with alert rules, which promtool checks first
   */
  static async start(
    targets: string[],
    { token, rules }: { token: string; rules: string },
  ): Promise<Prometheus> {
    const program = installed('prometheus');
    execFileSync(join(dirname(program), 'promtool'), ['check', 'rules', rules], { encoding: 'utf8' });
    const folder = await mkdtemp(join(tmpdir(), 'parley-prometheus-'));
    const port = await freePorts(1);
    const file = join(folder, 'prometheus.yml');
    const job = { job_name: 'parley', authorization: { credentials: token }, static_configs: [{ targets }] };
    const configuration = { global: { scrape_interval: '1s' }, scrape_configs: [job], rule_files: [rules] };
    // JSON is valid YAML.
    await writeFile(file, JSON.stringify(configuration));
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, child, folder);
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, 'Prometheus is ready');
    return prometheus;
  }

  private constructor(url: string, process: ChildProcess, folder: string) {
    this.#url = url;
    this.#process = process;
    this.#folder = folder;
  }

  /** The numbers that a query returns now; those that are no number, such as quantiles of nothing, are left out. */
  async query(query: string): Promise<number[]> {
    const { result } = await this.#ask<{ result: Series[] }>(`query?query=${encodeURIComponent(query)}`);
    return result.map(({ value }) => Number(value[1])).filter(Number.isFinite);
  }

  /** The alert rules, with their state. */
  async rules(): Promise<{ name: string; health: string; state: string; lastError?: string }[]> {
    const { groups } = await this.#ask<{
      groups: { rules: { name: string; health: string; state: string }[] }[];
    }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async close(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const answer = (await response.json()) as { status: string; error?: string; data: Data };
    if (answer.status !== 'success') throw new Error(`Prometheus: ${answer.error}`);
    return answer.data;
  }
}
