import type { Source } from '../../protocol/media.ts';

/** Thrown if the server refuses to play the stream. */
export class WhepRefusal extends Error {
  readonly status: number;
  /** The reason, or the more general `error` if there is no other. */
  readonly reason: string;

  constructor(status: number, reason: string) {
    super(`WHEP: ${status} ${reason}`);
    this.status = status;
    this.reason = reason;
  }
}

interface Hooks {
  onTrack: (source: Source, track: MediaStreamTrack) => void;
  /** Called when the connection is lost permanently, so that a new one has to be started. */
  onLost: () => void;
}

/** Plays a stream by WHEP, without a Parley session. */
export class Whep {
  readonly #connection = new RTCPeerConnection();
  readonly #hooks: Hooks;
  #session: string | null = null;
  #closed = false;

  private constructor(hooks: Hooks) {
    this.#hooks = hooks;
    const connection = this.#connection;
    connection.addTransceiver('audio', { direction: 'recvonly' });
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addEventListener('track', ({ track }) =>
      hooks.onTrack(track.kind === 'video' ? 'camera' : 'microphone', track),
    );
    connection.addEventListener('connectionstatechange', () => {
      if (!this.#closed && ['failed', 'closed'].includes(connection.connectionState)) this.#hooks.onLost();
    });
  }

  get isConnected(): boolean {
    return this.#connection.connectionState === 'connected';
  }

  /** @throws WhepRefusal */
  static async begin(url: string, token: string | null, hooks: Hooks): Promise<Whep> {
    const whep = new Whep(hooks);
    try {
      await whep.#begin(url, token);
      return whep;
    } catch (error) {
      whep.close();
      throw error;
    }
  }

  async stats(): Promise<RTCStats[]> {
    const report = await this.#connection.getStats();
    return [...(report as ReadonlyMap<string, RTCStats>).values()];
  }

  /** @param isOver whether the server has already ended the session */
  close(isOver = false): void {
    if (this.#closed) return;
    this.#closed = true;
    const close = () => this.#connection.close();
    if (!this.#session || isOver) return close();
    // keepalive sends the request even if the page is closed. The connection is closed last, because closing it first would end the
    // session before the request arrives.
    void fetch(this.#session, { method: 'DELETE', keepalive: true }).then(close, close);
  }

  /** Sends the offer without ICE candidates, because the server needs none. The server's own candidates are in the answer. */
  async #begin(url: string, token: string | null): Promise<void> {
    const offer = await this.#connection.createOffer();
    await this.#connection.setLocalDescription(offer);
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/sdp',
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: offer.sdp ?? '',
    });
    if (response.status !== 201) throw new WhepRefusal(response.status, await reasonOf(response));
    const location = response.headers.get('Location');
    this.#session = location && new URL(location, url).href;
    await this.#connection.setRemoteDescription({ type: 'answer', sdp: await response.text() });
  }
}

async function reasonOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; reason?: string };
  return body.reason ?? body.error ?? '';
}
