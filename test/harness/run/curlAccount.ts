import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Reads the account of an API key with curl. @returns the status of the response */
export async function curlAccount(url: string, secret: string): Promise<number> {
  const given = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}'];
  const header = `Authorization: Bearer ${secret}`;
  const { stdout } = await run('curl', [...given, '-H', header, `${url}/api/v1/account`]);
  return Number(stdout);
}
