import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../nodes/ServerProcess.ts';

const top = fileURLToPath(new URL('../../..', import.meta.url));

export interface RunningCommand {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output: () => string;
  ended: Promise<{ code: number | null; output: string }>;
}

/** Starts one of the server's commands (`server/dist/<name>.js`), or a program. */
export function startCommand(name: string, args: string[], settings: Settings): RunningCommand {
  const [program, all] = name.includes('/')
    ? [name, args]
    : [process.execPath, [`server/dist/${name}.js`, ...args]];
  const child = spawn(program, all, {
    cwd: top,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, output: () => output, ended };
}

/** Runs a command to its end. */
export const runCommand = (name: string, args: string[], settings: Settings) =>
  startCommand(name, args, settings).ended;
