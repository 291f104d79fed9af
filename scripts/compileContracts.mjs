import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/*
 * Compiles a .sol file and writes the ABI and bytecode of the contracts that it defines into a .json file of the same name:
 *   node scripts/compileContracts.mjs test/contracts/GateContracts.sol && npm run format
 * The compiler and OpenZeppelin's contracts are installed from npm into a temporary folder, because they are needed only when a contract
 * changes.
 */

const versions = { solc: '0.8.37', '@openzeppelin/contracts': '5.7.0' };

/** The types of ABI entries that tests use. Events and errors are left out. */
const usedTypes = new Set(['function', 'constructor']);

const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: node scripts/compileContracts.mjs <file.sol>');

const folder = mkdtempSync(join(tmpdir(), 'parley-contracts-'));
try {
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...packages], {
    stdio: 'inherit',
  });
  writeFileSync(file.replace(/\.sol$/, '.json'), `${JSON.stringify(compile(file), null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The parts of the compiler's interface and output that this script uses.
 * @typedef {{ compile(input: string, options: { import: (wanted: string) => object }): string }} Compiler
 * @typedef {{ abi: { type: string }[], evm: { bytecode: { object: string } } }} Compiled
 * @typedef {{
 *   errors?: { severity: string, formattedMessage: string }[],
 *   contracts: Record<string, Record<string, Compiled>>,
 * }} Output
 */

/**
 * @param {string} path
 * @returns {Record<string, unknown>}
 */
function compile(path) {
  /** @type {unknown} */
  const loaded = createRequire(join(folder, 'node_modules', 'x.js'))('solc');
  const solc = /** @type {Compiler} */ (loaded);
  const name = basename(path);
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: readFileSync(path, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const text = solc.compile(JSON.stringify(input), { import: (wanted) => find(wanted, path) });
  /** @type {unknown} */
  const answer = JSON.parse(text);
  const output = /** @type {Output} */ (answer);
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  /** @type {Record<string, unknown>} */
  const contracts = {};
  for (const [contract, { abi, evm }] of Object.entries(output.contracts[name] ?? {})) {
    const bytecode = `0x${evm.bytecode.object}`;
    contracts[contract] = { abi: abi.filter(({ type }) => usedTypes.has(type)), bytecode };
  }
  const compiler = `solc ${versions.solc}, optimizer 200 runs, cancun; @openzeppelin/contracts ${versions['@openzeppelin/contracts']}`;
  return { compiler, ...contracts };
}

/**
 * Reads an imported file from npm or from the folder of the importing file.
 * @param {string} wanted
 * @param {string} path
 */
function find(wanted, path) {
  for (const parent of [join(folder, 'node_modules'), dirname(path)]) {
    try {
      return { contents: readFileSync(join(parent, wanted), 'utf8') };
    } catch {
      // The file may be in the next folder.
    }
  }
  return { error: `${wanted} was not found` };
}
