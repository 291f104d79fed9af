import { until } from '../harness/until.ts';
import type { Methods } from './Phone.ts';

type Emit = (name: string, payload: unknown) => void;
interface AppEvent {
  name: string;
  payload: unknown;
}

/**
 * The native modules of a phone that are neither network nor WebRTC: storage, permissions, life cycle, and the packages for the call
 * screen, the audio session and the foreground service, of which there is only a record of what they were told.
 */
export class SystemModules {
  readonly #emit: Emit;
  readonly #stored = new Map<string, string>();
  readonly #events: AppEvent[] = [];
  /** What the packages were told: `RNCallKeep.startCall`, and the values. */
  readonly told: [method: string, ...values: unknown[]][] = [];

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get all() {
    return this.#events;
  }
  get modules(): Record<string, Methods> {
    return {
      PermissionsAndroid: { checkPermission: () => true, requestPermission: () => 'granted' },
      RNCAsyncStorage: this.#storage(),
      RNCallKeep: this.#recorded('RNCallKeep', {
        // The system carries out what the app asks for, and tells the app.
        answerIncomingCall: (callUUID: string) =>
          this.#emit('RNCallKeepPerformAnswerCallAction', { callUUID }),
        endCall: (callUUID: string) => this.#emit('RNCallKeepPerformEndCallAction', { callUUID }),
        startCall: (callUUID: string) =>
          this.#emit('RNCallKeepDidReceiveStartCallAction', { callUUID, handle: '' }),
      }),
      InCallManager: this.#recorded('InCallManager', {}),
      NotifeeApiModule: this.#recorded('NotifeeApiModule', {}),
      Test: { event: (name: string, payload: unknown) => void this.#events.push({ name, payload }) },
    };
  }

  /** Brings the app to the foreground, or to the background. */
  setAppState(state: 'active' | 'background'): void {
    this.#emit('appStateDidChange', { app_state: state });
  }

  /** The user answers or ends a call on the phone's call screen. */
  onCallScreen(action: 'Answer' | 'End', callUUID: string): void {
    this.#emit(`RNCallKeepPerform${action}CallAction`, { callUUID });
  }

  /** Reports what the user did on the call screen before the app listened. */
  happened(action: 'Answer' | 'End', callUUID: string): void {
    const name = `RNCallKeepPerform${action}CallAction`;
    this.#emit('RNCallKeepDidLoadWithEvents', [{ name, data: { callUUID } }]);
  }

  /** The user mutes a call on the phone's call screen, or unmutes it. */
  mute(callUUID: string, muted: boolean): void {
    this.#emit('RNCallKeepDidPerformSetMutedCallAction', { callUUID, muted });
  }

  /** Waits until a package was told this, with these first values. */
  async wasTold(method: string, ...values: unknown[]): Promise<void> {
    const start = JSON.stringify([method, ...values]).slice(0, -1);
    await until(() => this.told.some((each) => JSON.stringify(each).startsWith(start)), start);
  }

  /** The events with this name that the client has emitted. */
  seen<T>(name: string): T[] {
    return this.#events.filter((event) => event.name === name).map(({ payload }) => payload as T);
  }

  /** Forgets the events so far. */
  forget(): void {
    this.#events.length = 0;
  }

  /** Waits for the first event with this name that fits. Events that have already arrived count. */
  async event<T>(name: string, fits: (payload: T) => boolean = () => true): Promise<NonNullable<T>> {
    return until(() => this.seen<T>(name).find(fits), `the app gets ${name}`);
  }

  /** The native module of AsyncStorage, whose answers are the arguments of a callback. */
  #storage(): Methods {
    const stored = this.#stored;
    return {
      multiGet: (keys: string[]) => [null, keys.map((key) => [key, stored.get(key) ?? null])],
      multiSet: (items: [key: string, value: string][]) => {
        for (const [key, value] of items) stored.set(key, value);
        return [null];
      },
      multiRemove: (keys: string[]) => {
        for (const key of keys) stored.delete(key);
        return [null];
      },
    };
  }

  #recorded(module: string, methods: Record<string, (value: string) => void>): Methods {
    return new Proxy<Methods>(
      {},
      {
        get:
          (_, method: string) =>
          (...values: unknown[]) => {
            this.told.push([`${module}.${method}`, ...values]);
            methods[method]?.(values[0] as string);
            return null;
          },
      },
    );
  }
}
