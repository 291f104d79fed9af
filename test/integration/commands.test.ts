import { expect, it } from 'vitest';
import { runCommand } from '../harness/run/runCommand.ts';

it.each(['backup', 'doctor', 'grant', 'importLeaks', 'restore', 'rotateKey'])(
  '%s prints only its usage for --help, and succeeds',
  async (name) => {
    const { code, output } = await runCommand(name, ['--help'], {});
    expect(output).toMatch(/^Usage:\n {2}npm run /);
    expect(code).toBe(0);
  },
);
