import { expect, it, vi } from 'vitest';

type Handler = (given: unknown) => void;

interface Module {
  registerVoipPush: (client: object, options: { voipPush: object; calls: object }) => () => void;
}

// Not a static import: the package is CommonJS and has its own tsconfig.json.
const { registerVoipPush } = await vi.importActual<Module>('../../sdk/react-native/src/registerVoipPush.ts');

it('handles the push that has started the app, once', () => {
  const handlers = new Map<string, Handler>();
  const voipPush = {
    addEventListener: (type: string, handler: Handler) => void handlers.set(type, handler),
    removeEventListener: (type: string) => void handlers.delete(type),
    registerVoipToken: () => undefined,
  };
  const register = vi.fn(() => Promise.resolve());
  const wake = vi.fn(() => Promise.resolve());
  const begin = () => registerVoipPush({ notifications: { register } }, { voipPush, calls: { wake } });
  const push = { kind: 'call', id: 'call_1', from: '0x1' };
  // The package keeps these events, and reports them when it gets its first listener.
  const report = () =>
    handlers.get('didLoadWithEvents')?.([
      { name: 'RNVoipPushRemoteNotificationsRegisteredEvent', data: 'a1b2' },
      { name: 'RNVoipPushRemoteNotificationReceivedEvent', data: { parley: push } },
    ]);
  const stop = begin();
  report();
  expect(register).toHaveBeenCalledExactlyOnceWith({ apns: 'a1b2', mode: 'voip' });
  expect(wake).toHaveBeenCalledExactlyOnceWith(push);
  stop();
  expect([...handlers.keys()]).toEqual([]);
  begin();
  report();
  expect(wake).toHaveBeenCalledOnce();
  handlers.get('notification')?.({ parley: push });
  expect(wake).toHaveBeenCalledTimes(2);
});
