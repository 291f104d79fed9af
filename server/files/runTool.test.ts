import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const addressOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
const program = `
import { openSync } from 'node:fs';
import { typeOf } from ${addressOf('fileTypes.ts')};
import { runTool } from ${addressOf('runTool.ts')};
const ran = await runTool('echo', ['ran'], 5);
await typeOf(process.execPath).catch(() => {});
try {
  for (;;) openSync('/dev/null');
} catch {
  const { code } = await runTool('echo', ['ran'], 5).catch((error) => error);
  const { code: detection } = await typeOf(process.execPath).catch((error) => error);
  console.log(JSON.stringify({ ran, code, detection }));
}
`;

it('takes too many open files for an outage, and not for the refusal of a file', async () => {
  const limited = ['-c', 'ulimit -n 128; exec "$@"', 'sh', process.execPath, '--import', 'tsx'];
  const run = promisify(execFile);
  const { stdout } = await run('/bin/sh', [...limited, '--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual({ ran: 'ran\n', code: 'SERVICE_UNAVAILABLE', detection: 'EMFILE' });
});
