// `npm run sbom`: writes a list of the npm packages that a release contains to parley.cdx.json, in CycloneDX's format.
// `node scripts/sbom.mjs --debian <file>`: the same for Node.js and the Debian packages of this system. The Dockerfile runs both.
import { execFileSync } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/*
 * `npm sbom` is not used: it leaves out the packages of workspaces, such as React in the console, and ends with a stack overflow when it
 * is told to include them.
 */

/** @typedef {{ name?: string, version: string, dev?: boolean, link?: boolean, license?: string, integrity?: string }} Entry */
/** @typedef {{ type: string, 'bom-ref': string, purl: string, name: string, version: string, licenses?: unknown[], hashes?: unknown[] }} Component */

/** @type {(text: string) => unknown} */
const parseJson = JSON.parse;

/**
 * @param {string} lockfile the text of a package-lock.json, version 2 or 3
 * @returns {Component[]} the packages that are not only for development, for all platforms
 */
export function npmComponents(lockfile) {
  const { packages } = /** @type {{ packages: Record<string, Entry> }} */ (parseJson(lockfile));
  /** @type {Map<string, Component>} */
  const found = new Map();
  for (const [folder, entry] of Object.entries(packages)) {
    if (!folder.includes('node_modules/') || entry.dev || entry.link) continue;
    const name = entry.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const component = describe(`pkg:npm/${name.replace('@', '%40')}@${entry.version}`, name, entry.version);
    found.set(component.purl, {
      ...component,
      ...(entry.license ? { licenses: [{ expression: entry.license }] } : {}),
      ...(entry.integrity ? { hashes: entry.integrity.split(' ').map(hash) } : {}),
    });
  }
  return [...found.values()];
}

/** @returns {Component[]} */
function debianComponents() {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  const format = '${Package} ${Version} ${Architecture}\n';
  const lines = execFileSync('dpkg-query', ['-W', '-f', format], { encoding: 'utf8' }).trim().split('\n');
  const debian = lines.map((line) => {
    const [name = '', version = '', architecture = ''] = line.split(' ');
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${release}`;
    return describe(purl, name, version);
  });
  const { node } = process.versions;
  return [describe(`pkg:generic/node@${node}`, 'node', node), ...debian];
}

/** @type {(purl: string, name: string, version: string) => Component} */
const describe = (purl, name, version) => ({ type: 'library', 'bom-ref': purl, purl, name, version });

/** @param {string} integrity such as sha512-… in base64 */
function hash(integrity) {
  const [, bits = '', content = ''] = /^sha(\d+)-(.+)$/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(content, 'base64').toString('hex') };
}

/**
 * @param {string} file
 * @param {Component[]} components
 */
function write(file, components) {
  const { version } = /** @type {{ version: string }} */ (parseJson(readFileSync('package.json', 'utf8')));
  const component = describe(`pkg:generic/parley@${version}`, 'parley', version);
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component, type: 'application', licenses: [{ license: { id: 'MIT' } }] } },
    components,
  };
  writeFileSync(file, `${JSON.stringify(bom, null, 1)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , option, file = 'debian.cdx.json'] = process.argv;
  if (option === '--debian') write(file, debianComponents());
  else write('parley.cdx.json', npmComponents(readFileSync('package-lock.json', 'utf8')));
}
