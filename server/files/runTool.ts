import { execFile } from 'node:child_process';
import { ParleyError } from '../../sdk/protocol/errors.ts';

interface ToolBounds {
  /** Address space: enough for a picture of 8K and its codec, and no more. */
  addressKb?: number;
  /** Of that, what it may write to. */
  dataKb?: number;
  /** What is thrown where the tool is not installed. */
  missing?: () => ParleyError;
}

const usualKb = 2 * 1024 * 1024;
const mostOutputBytes = 256 * 1024;
/** What a shell says when there is no such program. */
const notInstalled = 127;

/** A tool did not like what it was given, or took too long for it. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** Its limits are set by a shell that then becomes it; where a system can't bound memory, time is bounded all the same. */
const bounded =
  'ulimit -v "$1" 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; exec nice -n 5 "$@"';

/**
 * Runs a program on a file that may be hostile: a process of its own, with bounds on its time, memory and output.
 * @returns what it prints
 * @throws ToolFailed; ParleyError SERVICE_UNAVAILABLE where it is not installed, or is ended with the server
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
    maxBuffer: mostOutputBytes,
    env: { PATH: process.env.PATH },
  } as const;
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', boundedArgs, options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.code === notInstalled) reject(missing());
      // A service manager sends it to every process of the server.
      else if (error.signal === 'SIGTERM') reject(stopping());
      else reject(new ToolFailed(`${command}: ${stderr.trim().slice(-500) || error.message.slice(0, 200)}`));
    }).stdin?.end();
  });
}

const noMedia = (command: string) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    `This server takes no videos and sounds: ${command} is not installed on it.`,
  );

const stopping = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'The server is stopping: try again in a moment.', { retryAfter: 5 });
