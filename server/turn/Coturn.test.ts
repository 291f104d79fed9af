import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { TurnClient, TurnRefused } from '../doctor/TurnClient.ts';
import { Coturn } from './Coturn.ts';

test('a port that the TURN server cannot have is reported once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-turn-'));
  const logged: { msg: string; address?: string; code?: string }[] = [];
  const log = pino(
    { base: null },
    { write: (line) => void logged.push(JSON.parse(line) as { msg: string }) },
  );
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const plan = {
    urls: [],
    media: ['127.0.0.1'],
    listenIp: '127.0.0.1',
    port,
    tls: null,
    mediaIp: '127.0.0.1',
    announced: '127.0.0.1',
  };
  const coturn = await Coturn.start({
    plan,
    dataDir: folder,
    secrets: ['secret'],
    log: log.child({}, { level: 'debug' }),
  });
  onTestFinished(async () => {
    await coturn.close();
    other.close();
    rmSync(folder, { recursive: true });
  });
  const attempts = () => logged.filter((line) => JSON.stringify(line).includes('Trying to bind fd'));
  await vi.waitUntil(() => attempts().length >= 4, 20_000);
  expect(logged.filter(({ msg }) => msg.startsWith('TURN server cannot listen'))).toMatchObject([
    { level: 50, address: `127.0.0.1:${port}`, code: 'EADDRINUSE' },
  ]);
});

test('a client cannot forge errors by its user name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-turn-'));
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line) => void lines.push(line) });
  const port = await freePorts();
  const address = '127.0.0.1';
  const plan = {
    urls: [],
    media: [address],
    listenIp: address,
    port,
    tls: null,
    mediaIp: address,
    announced: address,
  };
  const coturn = await Coturn.start({ plan, dataDir: folder, secrets: ['secret'], log });
  onTestFinished(async () => {
    await coturn.close();
    rmSync(folder, { recursive: true });
  });
  await vi.waitUntil(() => lines.some((line) => line.includes('TURN server is running')), 10_000);
  const forged = [
    `0: : Trying to bind fd 1 to <x:${port}>: errno=0`,
    `0: : Trying to bind fd 1 to <y:${port}>: errno=98`,
  ];
  const names = [...forged, `a\n${forged.join('\n')}\n${'0: : ERROR: forged\n'.repeat(20)}`];
  for (const username of names)
    await expect(
      TurnClient.allocate({ host: address, port, over: 'udp' }, { username, credential: '' }),
    ).rejects.toBeInstanceOf(TurnRefused);
  await vi.waitUntil(() => lines.filter((line) => line.includes('ERROR: forged')).length >= 20, 10_000);
  const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level === 40)).toHaveLength(10);
  expect(levels.filter((level) => level > 40)).toEqual([]);
});

test('a new certificate signals nothing while the TURN server cannot be started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-turn-'));
  const [program, certificate] = [join(folder, 'turnserver'), join(folder, 'certificate.pem')];
  writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
  writeFileSync(certificate, '');
  vi.stubEnv('TURNSERVER_BIN', program);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const logged: { msg: string; isRunning?: boolean }[] = [];
  const log = pino(
    { base: null },
    { write: (line) => void logged.push(JSON.parse(line) as { msg: string }) },
  );
  const port = await freePorts();
  const coturn = await Coturn.start({
    plan: {
      urls: [],
      media: ['127.0.0.1'],
      listenIp: '127.0.0.1',
      port,
      tls: { port, certificate, key: certificate },
      mediaIp: '127.0.0.1',
      announced: '127.0.0.1',
    },
    dataDir: folder,
    secrets: ['secret'],
    log,
    certificateMs: 20,
  });
  onTestFinished(async () => {
    await coturn.close();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  let seconds = 0;
  await vi.waitUntil(() => {
    utimesSync(certificate, ++seconds, seconds);
    return logged.some(({ msg }) => msg.includes('certificate'));
  }, 10_000);
  expect(logged.find(({ msg }) => msg.includes('certificate'))).toMatchObject({ isRunning: false });
  expect(kill).not.toHaveBeenCalled();
  expect(coturn.pid).toBe(0);
});
