import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = `
import { openSync } from 'node:fs';
import { runTool } from ${JSON.stringify(new URL('runTool.ts', import.meta.url).href)};
const ran = await runTool('echo', ['ran'], 5);
try {
  for (;;) openSync('/dev/null');
} catch {
  const { name, code } = await runTool('echo', ['ran'], 5).catch((error) => error);
  console.log(JSON.stringify({ ran, name, code }));
}
`;

it('takes a tool that cannot be started for an outage, and not for the refusal of a file', async () => {
  const limited = ['-c', 'ulimit -n 128; exec "$@"', 'sh', process.execPath, '--import', 'tsx'];
  const run = promisify(execFile);
  const { stdout } = await run('/bin/sh', [...limited, '--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual({ ran: 'ran\n', name: 'ParleyError', code: 'SERVICE_UNAVAILABLE' });
});
