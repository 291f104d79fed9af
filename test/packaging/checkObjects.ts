import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../docs/blocks.ts';
import type { KubernetesObject } from './Helm.ts';

const packages = fileURLToPath(new URL('node_modules', import.meta.url));

/** @returns the module with the types and schemas of an object's version of the API */
function moduleOf({ apiVersion }: KubernetesObject): string {
  return apiVersion === 'monitoring.coreos.com/v1'
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;
}

/**
 * Checks objects against the types of Kubernetes, which know every field, and against its schemas, which also know formats.
 * @returns one text for each error, which names the object
 */
export async function checkObjects(objects: KubernetesObject[]): Promise<string[]> {
  return [...(await schemaErrors(objects)), ...typeErrors(objects)];
}

type Model = new (data: KubernetesObject) => { validate(): void };

async function schemaErrors(objects: KubernetesObject[]): Promise<string[]> {
  const errors = objects.map(async (object) => {
    const models = (await import(moduleOf(object))) as Record<string, Model>;
    const Kind = models[object.kind];
    if (!Kind) return [`${nameOf(object)}: there is no such kind`];
    try {
      new Kind(object).validate();
      return [];
    } catch (error) {
      return [`${nameOf(object)}: ${(error as Error).message}`];
    }
  });
  return (await Promise.all(errors)).flat();
}

/** TypeScript refuses unknown fields in literals, at any depth. */
function typeErrors(objects: KubernetesObject[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-chart-'));
  try {
    symlinkSync(packages, join(folder, 'node_modules'));
    const lines = objects.map(
      (object, index) =>
        `export const o${index}: import('${moduleOf(object)}').I${object.kind} = ${JSON.stringify(object)};`,
    );
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const options = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['objects.ts'] }),
    );
    const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
    const args = [compiler, '--pretty', 'false', '-p', folder];
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
    });
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    // Without errors in objects, the compiler itself may have failed.
    if (status !== 0 && errors.length === 0) return [stdout];
    return errors.map((line) => {
      const [, number = '', message = line] =
        /^objects\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
      const object = objects[Number(number) - 1];
      return object ? `${nameOf(object)}: ${message}` : line;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
