import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, it } from 'vitest';
import { showError, stackOf } from './logger.ts';

/** Runs lines that use `log` in a separate process, since pino writes to standard output. */
function logged(lines: string): string {
  const script = `
    import { createLogger } from './platform/logger.ts';
    import { DrizzleQueryError } from 'drizzle-orm/errors';
    const log = createLogger({ LOG_LEVEL: 'trace', LOG_PRETTY: false });
    ${lines}`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  );
  if (stderr) throw new Error(stderr);
  return stdout;
}

describe('the log', () => {
  it('redacts secrets at any depth, in bindings, lists, headers and errors', () => {
    const names = [
      'token',
      'refreshToken',
      'signature',
      'authorization',
      'password',
      'apiKey',
      'streamKey',
      'participantToken',
    ];
    const output = logged(`
      for (const name of ${JSON.stringify(names)}) {
        const secret = { [name]: 's3cret', kept: 'visible' };
        log.info(secret);
        log.info({ a: secret, list: [secret] });
        log.info({ a: { b: secret } });
        log.info({ a: { b: { c: secret } } });
        log.child({ a: secret }).info('bound');
        log.error({ err: Object.assign(new Error('text'), secret) }, 'failed');
      }
      log.info({ req: { headers: { authorization: 's3cret', cookie: 's3cret', 'set-cookie': ['s3cret'] } } });
      log.info({ config: { SECRET_KEY: 's3cret', DATABASE_URL: 's3cret' } });`);
    expect(output).not.toContain('s3cret');
    expect(output.match(/visible/g)?.length).toBe(names.length * 6);
    expect(output).toContain('[redacted]');
  });

  it('omits the values of a failed query', () => {
    const output = logged(`
      const cause = Object.assign(new Error('duplicate'), { code: '23505', detail: 'Key (hash)=(s3cret)' });
      const failed = new DrizzleQueryError('insert into t values ($1, $2)', ['s3cret\\nmore s3cret', 's3cret'], cause);
      log.error({ err: failed }, 'with a message');
      log.error({ err: failed });
      log.error(failed);
      log.error({ err: new Error('outer', { cause: failed }) }, 'nested');
      log.child({ requestId: 'req_1' }).error({ err: cause }, 'bare');`);
    expect(output).not.toContain('s3cret');
    expect(output.trim().split('\n')).toHaveLength(5);
    expect(output).toContain('insert into t values ($1, $2)');
    expect(output).toContain('23505');
  });

  it('omits request bodies, and keys in addresses', async () => {
    const { createPublicClient, http } = await import('viem');
    const transport = http('http://user:s3cret@127.0.0.1:1/v2/s3cret?key=s3cret', { retryCount: 0 });
    const failed = await createPublicClient({ transport })
      .call({ to: `0x${'11'.repeat(20)}`, data: `0x${'5e'.repeat(200)}` })
      .catch((error: unknown) => error);
    const shown = JSON.stringify([
      showError(failed as Error),
      showError(new Error('outer', { cause: failed })),
    ]);
    expect(shown).toContain('http://127.0.0.1:1/…');
    expect(shown).not.toMatch(/s3cret|(5e){50}/);
  });

  it.runIf(existsSync('/dev/full'))(
    'does not end the process, nor keep it from ending, on a full disk',
    () => {
      const script = `
      import { setTimeout as delay } from 'node:timers/promises';
      import { createLogger } from './platform/logger.ts';
      const log = createLogger({ LOG_LEVEL: 'info', LOG_PRETTY: false });
      for (let line = 0; line < 3; line++) {
        log.info('not written');
        await delay(20);
      }
      process.stderr.write('still running');
      log.info('not written either');
      process.exit(3);`;
      const full = openSync('/dev/full', 'w');
      const options = ['--import', 'tsx', '--input-type=module', '--eval', script];
      const { status, stderr } = spawnSync(process.execPath, options, {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      closeSync(full);
      expect([status, stderr]).toEqual([3, 'still running']);
    },
  );

  it('names wallets by pseudonyms, in any member, message and spelling', () => {
    const wallet = `0x${'aB'.repeat(20)}`;
    const output = logged(`
      const wallet = '${wallet}';
      log.info({ wallet, nested: { peers: [wallet.toLowerCase(), 'eip155:1:' + wallet] } }, 'called ' + wallet);
      log.error({ err: new Error('no route to ' + wallet), tx: '0x' + 'ab'.repeat(32) }, 'failed');`);
    expect(output).not.toMatch(/0x(ab){20}"/i);
    const [line = '', error = ''] = output.trim().split('\n');
    const {
      wallet: name,
      nested,
      msg,
    } = JSON.parse(line) as Record<string, string> & { nested: { peers: string[] } };
    expect([name, nested.peers[0], msg]).toEqual([name, name, `called ${name}`]);
    expect(nested.peers[1]).toMatch(/^wallet-/);
    expect(nested.peers[1]).not.toBe(name);
    expect(error).toContain(`no route to ${name}`);
    expect(error).toContain('ab'.repeat(32));
  });

  it('omits participant tokens in texts', () => {
    const token = `pt_${'s3cret'.repeat(7)}`;
    expect(JSON.stringify(showError(new Error(`no guest with ${token} here`)))).not.toContain('s3cret');
  });

  it('prints the stack of a failed query without its values', () => {
    const stack = stackOf(new DrizzleQueryError('select $1', ['s3cret'], new Error('refused')));
    expect(stack).toContain('Failed query: select $1');
    expect(stack).toContain('refused');
    expect(stack).not.toContain('s3cret');
  });

  it('leaves a value that is not an error unchanged', () => {
    expect(showError('text' as unknown as Error)).toBe('text');
    expect(showError(new DrizzleQueryError('select $1', ['x'], new Error('why')))).toMatchObject({
      message: 'Failed query: select $1: why',
    });
  });
});
