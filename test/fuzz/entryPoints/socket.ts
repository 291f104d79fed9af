import { requests } from '../../../sdk/protocol/wire.ts';
import { samplesOf } from '../../harness/schemaSamples.ts';
import { connected, send, signIn } from '../../integration/support.ts';
import { shown, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { mutateText, mutateValue, type Random } from '../mutate.ts';
import { Scene, type Device } from '../Scene.ts';

const samples = Object.entries(requests).map(([name, { request }]) => [name, samplesOf(request)] as const);
/** The media requests, which are the largest and also reach the media workers. */
const media = samples.filter(([name]) => name.startsWith('media.'));

const scenesAtATime = 8;
/** The number of inputs after which a scene is replaced, because the inputs end its calls and close its rooms. */
const inputsPerScene = 60;
/** The size up to which a request must not close the connection. After a larger request, the server may close it. */
const mostBytes = 1024 * 1024;

/** Sends all Socket.IO requests of the protocol, valid or mutated, from signed-in clients that are in calls, rooms and streams. */
export const socketEntry: OpenEntryPoint = async ({ server: { url } }) => {
  const scenes = await Promise.all(Array.from({ length: scenesAtATime }, () => Scene.open(url)));
  const used = new Map<Scene, number>();

  async function sceneAt(index: number): Promise<Scene> {
    const scene = scenes[index] as Scene;
    const count = (used.get(scene) ?? 0) + 1;
    used.set(scene, count);
    if (count !== inputsPerScene && scene.devices.every(({ socket }) => socket.connected)) return scene;
    const next = await Scene.open(url);
    scenes[index] = next;
    scene.close();
    used.delete(scene);
    return next;
  }

  return {
    async send(random) {
      const scene = await sceneAt(random.int(scenesAtATime));
      const [name, ofName] = random.pick(random.chance(0.25) ? media : samples);
      const good = scene.revive(random.pick(ofName), random);
      const payload = random.chance(0.1) ? good : mutateValue(random, good);
      const called = random.chance(0.01) ? mutateText(random, name) : name;
      const args = random.chance(0.01) ? [payload, payload] : [payload];
      return request(random.pick(scene.devices), called, args, random);
    },
    async check() {
      const client = await connected(url, (await signIn(url)).token);
      const answer = await send(client, 'calls.getActive', {});
      client.disconnect();
      if (!answer.ok) throw new Error(shown(answer));
      // Opening a scene checks a call, a room and a stream, with media.
      (await Scene.open(url)).close();
    },
    close() {
      for (const scene of scenes) scene.close();
      return Promise.resolve();
    },
  };
};

/** Requests that need a service that is not configured on this server. */
const needsSetUp = ['notifications.register', 'voicemail.transcribe'];

async function request(device: Device, name: string, args: unknown[], random: Random): Promise<Outcome> {
  if (random.chance(0.02)) {
    device.socket.emit(name, ...args);
    return { kind: 'without acknowledgement' };
  }
  try {
    const answer = await send(device.socket, name, ...args);
    if (answer.ok) return { kind: 'ok' };
    const { code } = answer.error;
    const fault = shown({ name, args, error: answer.error });
    if (code === 'SERVICE_UNAVAILABLE' && needsSetUp.includes(name)) return { kind: 'not set up' };
    return { kind: code, ...(['INTERNAL', 'SERVICE_UNAVAILABLE'].includes(code) ? { fault } : {}) };
  } catch (error) {
    const isLarge = shownBytes(args) > mostBytes;
    return { kind: 'closed', ...(isLarge ? {} : { fault: `${String(error)} at ${shown({ name, args })}` }) };
  }
}

const shownBytes = (args: unknown[]) => JSON.stringify(args).length;
