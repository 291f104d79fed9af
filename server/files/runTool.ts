import { execFile } from 'node:child_process';
import { ParleyError } from '../../sdk/protocol/errors.ts';

interface ToolBounds {
  /** The limit of the address space. The default is enough for an 8K image and its codec. */
  addressKb?: number;
  /** The limit of writable memory. */
  dataKb?: number;
  /** Creates the error that is thrown if the tool is not installed. */
  missing?: () => ParleyError;
}

const usualKb = 2 * 1024 * 1024;
const maxOutputBytes = 256 * 1024;
/** The exit code with which a shell reports a missing program. */
const notInstalled = 127;
/** What a tool prints if it cannot write its output. */
const diskFull = /No space left on device/;

/** Thrown if a tool refused its input, took too long, or was killed. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
  /** Whether the tool ended by itself, so that it would refuse this input again. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal: boolean) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** The shell script sets the limits and then replaces itself with the tool. Where the system cannot limit memory, time is still limited. */
const bounded =
  'ulimit -v "$1" 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; exec nice -n 5 "$@"';

/**
 * Runs a program on an untrusted file in its own process, with limits on time, memory and output.
 * @returns its output
 * @throws ToolFailed, ParleyError SERVICE_UNAVAILABLE if the program is not installed, could not be started or was ended together with the
 *   server, or an error with the code ENOSPC
 */
export function runTool(
  command: string,
  args: string[],
  seconds: number,
  { addressKb = usualKb, dataKb = addressKb, missing = () => noMedia(command) }: ToolBounds = {},
): Promise<string> {
  const limits = [addressKb, dataKb, Math.ceil(seconds)].map(String);
  const boundedArgs = ['-c', bounded, 'sh', ...limits, command, ...args];
  const options = {
    timeout: seconds * 1_000,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
    env: { PATH: process.env.PATH },
  } as const;
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', boundedArgs, options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.code === notInstalled) reject(missing());
      // The system has too many processes or open files. That says nothing about the input.
      else if (error.syscall?.startsWith('spawn')) reject(notStarted(command, error));
      // A service manager sends SIGTERM to every process of the server.
      else if (error.signal === 'SIGTERM') reject(stopping());
      else if (diskFull.test(stderr))
        reject(Object.assign(new Error(`${command}: disk full`), { code: 'ENOSPC' }));
      else {
        const reason = stderr.trim().slice(-500) || error.message.slice(0, 200);
        reject(new ToolFailed(`${command}: ${reason}`, typeof error.code === 'number'));
      }
    }).stdin?.end();
  });
}

const noMedia = (command: string) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    `This server cannot process audio and video, because ${command} is not installed. Ask the operator to install it.`,
  );

const notStarted = (command: string, cause: Error) =>
  new ParleyError('SERVICE_UNAVAILABLE', `This server could not start ${command}. Try again in a moment.`, {
    cause,
    retryAfter: 5,
  });

const stopping = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'The server is stopping. Try again in a moment.', { retryAfter: 5 });
