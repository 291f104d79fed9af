import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { newId } from '../../../sdk/protocol/ids.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkAllowed } from '../../load/allowed.ts';
import { readOptions, type Options } from '../../load/options.ts';
import { LoadWallet } from '../../load/peers/LoadWallet.ts';
import { WhepViewer } from '../../load/peers/WhepViewer.ts';
import { GeneratorWatch } from '../../load/report/GeneratorWatch.ts';
import type { LoadReport } from '../../load/report/LoadReport.ts';
import { Measures } from '../../load/report/Measures.ts';
import { Run } from '../../load/Run.ts';
import { rooms } from '../../load/scenarios/rooms.ts';
import { viewers } from '../../load/scenarios/viewers.ts';
import { RtpTransport } from '../../harness/clients/RtpTransport.ts';
import { startCommand } from '../../harness/run/runCommand.ts';
import { LoadBalancer } from '../../harness/nodes/LoadBalancer.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';

const token = 'load-tests-are-allowed-here';
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ MEDIA_WORKERS: '2', LOAD_TEST_TOKEN: token });
});
afterAll(() => server?.dispose());

const startLoad = (url: string, ...args: string[]) =>
  startCommand(process.execPath, ['--import', 'tsx', 'test/load/main.ts', url, ...args], {});

/** A run of the generator in this process, and a function that ends it. */
function runOf(args: string[]) {
  const over = new AbortController();
  const generator = new GeneratorWatch();
  const options = readOptions(args, {}) as Options;
  const run = new Run(options, { bindAddress: '127.0.0.1', over: over.signal, generator });
  const end = () => {
    over.abort();
    run.close();
    generator.close();
  };
  return { run, end };
}

/** The single number that a query answers. */
async function count(query: string): Promise<number> {
  const [row] = await queryDatabase(server, `SELECT count(*)::int AS number FROM ${query}`);
  return Number(row?.number);
}

const answered = () => count('calls WHERE answered_at IS NOT NULL');

it('loads a server, reports what the server has seen, follows media to another worker, and leaves nothing', async () => {
  const load = startLoad(
    server.url,
    ...['--rooms', '1', '--people', '3', '--publishers', '2', '--viewers', '1', '--whep', '1'],
    ...['--calls', '0.5', '--call-seconds', '1', '--messages', '10', '--http', '10', '--video', '180'],
    ...['--seconds', '300', '--ramp', '1', '--json'],
  );
  let printed = '';
  load.child.stdout?.on('data', (text: string) => (printed += text));
  await until(
    () => count("room_members WHERE standing = 'present'").then((people) => people === 3),
    'people',
  );
  await until(() => count('stream_watchings').then((viewers) => viewers === 2), 'viewers');
  const before = await answered();
  await until(async () => (await answered()) > before, 'a call');
  for (const { pid } of server.logged('media worker started')) process.kill(Number(pid), 'SIGKILL');
  const then = await answered();
  await until(async () => (await answered()) > then + 1, 'calls after the death of the workers');
  load.child.kill('SIGINT');
  const { code } = await load.ended;

  const { scenarios, interrupted, failed } = JSON.parse(printed) as LoadReport;
  expect(interrupted).toBe(true);
  expect([code, failed === 0]).toEqual(failed === 0 ? [0, true] : [1, false]);
  const { rooms, calls, viewers, messages, http } = scenarios;
  expect(rooms?.counts).toMatchObject({ rooms: 1, people: 3 });
  expect(rooms?.counts['moves (worker)']).toBeGreaterThan(0);
  expect(rooms?.times.recovery?.count).toBeGreaterThan(0);
  expect(viewers?.counts).toMatchObject({ 'viewers by the SDK': 1, 'viewers by WHEP': 1 });
  for (const media of [rooms, calls, viewers]) {
    expect(media?.packets?.received).toBeGreaterThan(0);
    expect(media?.times['first packet']?.count).toBeGreaterThan(0);
  }
  expect(http?.times['HTTP read']?.count).toBeGreaterThan(0);
  expect(calls?.counts.calls).toBeLessThanOrEqual(await answered());
  expect(await count('wallet_messages')).toBe(messages?.counts.sent);
  expect(messages?.counts.delivered).toBe(messages?.counts.sent);

  const left = [
    "rooms WHERE status <> 'ended'",
    "streams WHERE status <> 'ended'",
    "calls WHERE status IN ('ringing', 'active')",
    'sessions WHERE ended_at IS NULL',
    'api_keys WHERE revoked_at IS NULL',
    'webrtc_sessions',
  ];
  expect(await Promise.all(left.map(count))).toEqual(left.map(() => 0));
});

it('goes on after refused messages and calls, reports them, and leaves nothing', async () => {
  const strict = await ServerProcess.start({
    RATE_LIMIT_MESSAGES: '1',
    RATE_LIMIT_CALLS: '1',
    RATE_LIMIT_NETWORK_FACTOR: '1',
  });
  try {
    // A call rings for up to 20 s, so that the load lasts longer than one whose start was refused.
    const options = [
      '--messages',
      '20',
      '--calls',
      '2',
      '--call-seconds',
      '1',
      '--seconds',
      '24',
      '--ramp',
      '0',
    ];
    const { code, output } = await startLoad(strict.url, ...options, '--json').ended;
    expect(code).toBe(1);
    const { scenarios, failed } = JSON.parse(output.slice(output.indexOf('{'))) as LoadReport;
    const { messages, calls } = scenarios;
    const refused = { code: 'rate_limit_exceeded', count: expect.any(Number) as number };
    expect(messages?.failures).toMatchObject([{ what: 'message stored', ...refused }]);
    expect(calls?.failures).toMatchObject([{ what: 'call start', ...refused }]);
    expect(failed).toBe((messages?.failures[0]?.count ?? 0) + (calls?.failures[0]?.count ?? 0));
    expect(messages?.counts.delivered).toBe(messages?.counts.sent);
    const query = 'SELECT count(*)::int AS number FROM sessions WHERE ended_at IS NULL';
    expect(await queryDatabase(strict, query)).toEqual([{ number: 0 }]);
  } finally {
    await strict.dispose();
  }
});

it('comes back after several attempts to connect have failed', async () => {
  const own = await ServerProcess.start();
  const measures = new Measures();
  try {
    const wallet = await LoadWallet.connect({ url: own.url } as Run, measures);
    let isBack = false;
    wallet?.onBack(() => (isBack = true));
    await own.kill();
    let attempts = 0;
    const nobody = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    nobody.listen(own.ports.port, '127.0.0.1');
    await until(() => attempts >= 3, 'three attempts to connect');
    await new Promise((resolve) => nobody.close(resolve));
    await own.start();
    await until(() => isBack, 'the connection is back');
    await wallet?.close();
    expect(measures.report).toMatchObject({ times: { reconnect: { count: 1 } }, failures: [] });
  } finally {
    await own.dispose();
  }
});

it('comes back after the server has ended the connection, as it does with those of a node that was frozen', async () => {
  const measures = new Measures();
  const wallet = (await LoadWallet.connect({ url: server.url } as Run, measures)) as LoadWallet;
  let isBack = false;
  wallet.onBack(() => (isBack = true));
  // The server ends the connection of a client that sends too much.
  const flood = Array.from({ length: 5_000 }, () => wallet.ask('session.ping', {}));
  await Promise.allSettled(flood);
  await until(() => isBack, 'the connection is back');
  await wallet.close();
  expect(measures.report.failures).toMatchObject([{ what: 'connection', code: 'ended', count: 1 }]);
});

it('receives what was sent while its connection was lost', async () => {
  const balancer = await LoadBalancer.create([server.ports.port]);
  const measures = new Measures();
  try {
    const recipient = await LoadWallet.connect({ url: balancer.url } as Run, measures);
    const sender = await LoadWallet.connect({ url: server.url } as Run, measures);
    const received: string[] = [];
    recipient?.on('message:received', ({ id }) => received.push(id));
    balancer.cut();
    const message = { to: recipient?.address ?? '', content: 'Are you there?', type: 'text' } as const;
    const id = newId('msg');
    await sender?.ask('messages.send', { id, ...message });
    balancer.restore();
    await until(() => received.length > 0, 'the message');
    expect(received).toEqual([id]);
    await Promise.all([sender?.close(), recipient?.close()]);
    expect(measures.report.failures).toEqual([]);
  } finally {
    await balancer.close();
  }
});

it('closes what a WHEP viewer has opened for each attempt to start again', async () => {
  const own = await ServerProcess.start();
  const closed = vi.spyOn(RtpTransport.prototype, 'close');
  try {
    const { run, end } = runOf([own.url, '--whep', '1', '--ramp', '0']);
    const measures = new Measures();
    const done = viewers.run(run, measures);
    await until(() => (measures.report.times['first packet']?.count ?? 0) > 0, 'media');
    await own.kill();
    const refused = () =>
      measures.report.failures.find(({ what }) => what === 'WHEP watch again')?.count ?? 0;
    await until(() => refused() > 4, 'attempts');
    expect(closed.mock.calls.length).toBeGreaterThanOrEqual(refused());
    end();
    await done;
  } finally {
    closed.mockRestore();
    await own.dispose();
  }
});

it('expects no media in a room before its second publisher comes', async () => {
  const { run, end } = runOf([server.url, '--rooms', '1', '--seconds', '300', '--ramp', '300']);
  const measures = new Measures();
  const done = rooms.run(run, measures);
  await until(() => measures.report.counts.people === 1, 'a host');
  const later = performance.now() + 60_000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
  end();
  await done;
  clock.mockRestore();
  expect(measures.report.failures).toEqual([]);
});

it('lets any number of calls wait for the end without a warning of Node.js', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const { run, end } = runOf([server.url, '--calls', '20']);
  const waiting = Array.from({ length: 20 }, () => run.untilOver());
  end();
  await Promise.all(waiting);
  // Warnings are emitted in the next turn.
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

it('asks about the proxy when it refuses the WebSocket', async () => {
  const proxy = createHttpServer(({ url = '' }, response) =>
    response.writeHead(307, { Location: `${server.url}${url}` }).end(),
  );
  proxy.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const measures = new Measures();
  await LoadWallet.connect({ url: `http://127.0.0.1:${port}` } as Run, measures);
  proxy.closeAllConnections();
  proxy.close();
  const message = 'Unexpected server response: 404: does a proxy in front of the server pass WebSockets?';
  expect(measures.report.failures).toMatchObject([{ what: 'connect', code: 'refused', message }]);
});

it('names the reason for which a viewer by WHEP is refused', async () => {
  const measures = new Measures();
  const run = { bindAddress: '127.0.0.1', enter() {}, leave() {} } as unknown as Run;
  await WhepViewer.open(run, measures, `${server.url}/whep/str_unknown`, '');
  expect(measures.report.failures).toMatchObject([{ what: 'WHEP watch', code: 'not_found' }]);
});

describe('a server that is not on this machine', () => {
  // The server listens on loopback, to which Linux also routes this address, which is none of loopback's.
  const elsewhere = () => server.url.replace('127.0.0.1', '0.0.0.0');
  const check = (...args: string[]) => {
    const options = readOptions([elsewhere(), '--http', '1', ...args], {});
    return options ? checkAllowed(options) : null;
  };

  it('is loaded only with its LOAD_TEST_TOKEN', async () => {
    await expect(check()).rejects.toThrow('set LOAD_TEST_TOKEN on the server');
    await expect(check('--token', 'another-token-of-16')).rejects.toThrow('has another LOAD_TEST_TOKEN');
    await expect(check('--token', token)).resolves.toBeUndefined();
  });

  it('gets no request without it, and the exit code is 2', async () => {
    const sessions = await count('sessions');
    const { code, output } = await startLoad(elsewhere(), '--http', '1', '--seconds', '1').ended;
    expect(code).toBe(2);
    expect(output).toContain('is not on this machine');
    expect(await count('sessions')).toBe(sessions);
  });
});

it.each(['localhost', '192.0.2.1', '127.0.0.1.1'])('refuses to bind media to %s', async (address) => {
  const { code, output } = await startLoad(server.url, '--rooms', '1', '--seconds', '1', '--bind', address)
    .ended;
  expect(code).toBe(2);
  expect(output).toContain(`--bind must be an IP address of this machine, not ${address}.`);
});

it.each([
  [[], 'Name one server'],
  [['ftp://127.0.0.1'], 'is not the origin of a server'],
  [['http://127.0.0.1'], 'Choose what to do'],
  [['http://127.0.0.1', '--rooms', '1000'], '--rooms must be a whole number from 0 to 500'],
  [['http://127.0.0.1', '--messages', '-1'], "'--messages' argument is ambiguous"],
  [['http://127.0.0.1', '--rooms', '1', '--people', '1.5'], '--people must be a whole number'],
  [['http://127.0.0.1', '--rooms', '500', '--people', '11'], 'must be at most 5000'],
  [['http://127.0.0.1', '--rooms', '1', '--publishers', '5'], '--publishers must be at most --people (4)'],
  [
    ['http://127.0.0.1', '--http', '1', '--seconds', '5', '--ramp', '6'],
    '--ramp must be at most --seconds (5)',
  ],
  [['http://127.0.0.1', '--http', '1', '--unknown', '5'], 'Unknown option'],
])('refuses the options %j', (args, why) => {
  expect(() => readOptions(args, {})).toThrow(why);
});
