import process from 'node:process';
import { findCommand } from '../../platform/system/findTool.mjs';
import { run } from '../../platform/system/run.mjs';

/**
 * The Debian packages needed to build the worker. A package is installed if its command or its pkg-config modules are found.
 * @type {{ package: string, command?: string, modules?: string[] }[]}
 */
const needs = [
  { package: 'cmake', command: 'cmake' },
  { package: 'ninja-build', command: 'ninja' },
  { package: 'g++', command: 'c++' },
  { package: 'pkg-config', command: 'pkg-config' },
  { package: 'flatbuffers-compiler', command: 'flatc' },
  { package: 'libflatbuffers-dev', modules: ['flatbuffers'] },
  { package: 'libssl-dev', modules: ['openssl'] },
  { package: 'libuv1-dev', modules: ['libuv'] },
  { package: 'libsrtp2-dev', modules: ['libsrtp2'] },
  { package: 'libabsl-dev', modules: ['absl_strings', 'absl_optional'] },
];

/** @returns {Promise<string[]>} the packages that are not installed */
export async function missingBuildPackages() {
  if (process.platform === 'win32') return [];
  const present = await Promise.all(
    needs.map(async ({ command, modules = [] }) =>
      command ? findCommand(command) !== undefined : modulesExist(modules),
    ),
  );
  return needs.filter((_need, index) => !present[index]).map((need) => need.package);
}

/** @param {string[]} modules */
async function modulesExist(modules) {
  try {
    await run('pkg-config', ['--exists', ...modules], { timeoutMs: 10_000 });
    return true;
  } catch {
    return false;
  }
}
