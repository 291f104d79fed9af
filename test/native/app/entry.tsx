/*
 * The app that the tests run in Hermes: the example app of @parley/react-native, and steps that a test calls instead of touching the
 * screen.
 */
import '../../../sdk/react-native/example/index.ts';
import { callUuid, ParleyVideo } from '@parley/react-native';
import type { MediaTrack, Parley, ParleyEvents } from '@parley/sdk';
import { createElement } from 'react';
import { AppRegistry, AppState } from 'react-native';
import { create, type ReactTestRenderer } from 'react-test-renderer';
import { newWallet } from '../../../sdk/react-native/example/newWallet.ts';
import { openClient, type Session } from '../../../sdk/react-native/example/openClient.ts';

declare const global: {
  $steps: Record<string, (...values: never[]) => unknown>;
  $toNode: <T>(module: string, method: string, values: unknown[]) => Promise<T>;
};

const { $toNode } = global;
let session: Session;
let rendered: ReactTestRenderer | null = null;
const tracks = new Map<string, MediaTrack>();

/** The events that the tests wait for. */
const names = [
  'call:answered',
  'call:declined',
  'call:ended',
  'call:incoming',
  'call:moved',
  'conference:chat:message',
  'conference:participant:joined',
  'conference:removed',
  'connection:changed',
  'media:track',
  'media:track:ended',
  'message:received',
] as const satisfies (keyof ParleyEvents)[];

function tell(client: Parley): void {
  for (const name of names)
    client.on(name, (payload) => {
      const { track, stream: _, ...rest } = payload as Partial<MediaTrack>;
      void $toNode('Test', 'event', [name, rest]);
      if (name === 'media:track') tracks.set(`${rest.id} ${rest.source}`, payload as MediaTrack);
      void track;
    });
}

global.$steps = {
  globals: () => Object.getOwnPropertyNames(globalThis),
  apps: () => AppRegistry.getAppKeys(),
  signIn: async (baseUrl: string) => {
    session = await openClient(baseUrl, newWallet());
    tell(session.client);
    return session.client.session?.walletAddress;
  },
  token: () => session.client.session?.token,
  sends: (id: string) => session.client.conference.state(id).get().own?.audio,
  signOut: () => session.client.signOut(),
  state: () => ({ state: session.client.state, app: AppState.currentState }),
  close: () => session.close(),

  callUuid,
  startCall: (to: string) => session.calls.start({ to, type: 'video' }),
  wake: (push: Parameters<typeof session.calls.wake>[0]) => session.calls.wake(push),
  endCall: (id: string) => session.calls.end(id),
  activeCalls: () => session.client.calls.getActive(),
  received: async (id: string) => {
    const { receiving } = await session.client.media.stats(id);
    const inbound = receiving as unknown as {
      type: string;
      kind: string;
      framesDecoded?: number;
      packetsReceived?: number;
    }[];
    return inbound
      .filter(({ type }) => type === 'inbound-rtp')
      .map(({ kind, framesDecoded, packetsReceived }) => [
        kind,
        kind === 'video' ? framesDecoded : packetsReceived,
      ]);
  },

  send: (to: string, content: string) => session.client.messages.send({ to, content, type: 'text' }),
  sendFile: (to: string, uri: string) =>
    session.client.messages.send({
      to,
      content: '',
      type: 'image',
      media: { file: { uri, name: 'photo.png' } },
    }),

  join: (roomId: string) => session.client.conference.join(roomId),
  leave: (roomId: string) => session.client.conference.leave(roomId),
  chat: (roomId: string, content: string) => session.client.conference.sendChat(roomId, content),

  showVideo: async (key: string, width: number, height: number) => {
    const track = tracks.get(key);
    if (!track) throw new Error(`There is no track ${key}.`);
    rendered = create(createElement(ParleyVideo, { client: session.client, track }));
    const view = await shown();
    view.onLayout({ nativeEvent: { layout: { x: 0, y: 0, width, height } } });
    return view.streamURL;
  },
  unmountVideo: () => rendered?.unmount(),
};

/** The properties of the native view, once React has rendered it with the address of a stream. */
async function shown(): Promise<{ streamURL: string; onLayout(event: object): void }> {
  for (;;) {
    // Also null before the first rendering.
    const view = rendered?.toJSON() as
      | { props: Partial<Awaited<ReturnType<typeof shown>>> }
      | null
      | undefined;
    const { streamURL, onLayout } = view?.props ?? {};
    if (streamURL !== undefined && onLayout) return { streamURL, onLayout };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
