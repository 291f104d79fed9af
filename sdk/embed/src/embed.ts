import { frameMessages, type Attributes, type FrameMessage, type PageMessage } from './messages.ts';

/*
 * `/sdk/embed.js`: the elements <parley-room>, <parley-call> and <parley-stream>, for pages without a build. Each shows a page of the server
 * in a frame, so nothing of it can collide with the styles and scripts around it.
 */

/** The server that this script was loaded from. */
const server = new URL((document.currentScript as HTMLScriptElement | null)?.src ?? location.href).origin;

/** What the frame may use. The browser asks the user for it once, in the name of the page. */
const permissions = [
  ...['camera', 'microphone', 'display-capture', 'speaker-selection', 'autoplay', 'fullscreen'],
  ...['picture-in-picture', 'clipboard-write', 'web-share', 'screen-wake-lock'],
];

abstract class ParleyElement extends HTMLElement {
  static observedAttributes = [
    'room',
    'wallet',
    'stream',
    'token',
    'server',
    'title',
    'theme',
    'name',
    'type',
  ];
  #frame: HTMLIFrameElement | null = null;
  /** What the frame shows, and for whom. If it changes, the frame is loaded again. */
  #shown = '';
  /** Whether the frame accepts messages. */
  #isReady = false;
  #isScheduled = false;

  /** What the element shows. */
  protected abstract readonly page: 'room' | 'call' | 'stream';
  /** The attribute that names it. */
  protected abstract readonly namedBy: string;

  connectedCallback(): void {
    window.addEventListener('message', this.#onMessage);
    this.#schedule();
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#onMessage);
    this.#frame?.remove();
    this.#frame = null;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#schedule();
  }

  /** Leaves the room, call or stream. */
  leave(): void {
    this.#tell({ parley: 'leave' });
  }

  #tell(message: PageMessage): void {
    if (this.#isReady) this.#frame?.contentWindow?.postMessage(message, this.#origin);
  }

  get #attributes(): Attributes {
    const given = (name: keyof Attributes) => this.getAttribute(name) || null;
    return { theme: given('theme'), name: given('name'), type: given('type') };
  }

  get #title(): string {
    return this.getAttribute('title') ?? 'Parley';
  }

  get #origin(): string {
    return new URL(this.getAttribute('server') ?? server).origin;
  }

  /** Several attributes may change at once, and each reload would ask for the camera again. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.isConnected) this.#show();
    });
  }

  #show(): void {
    const id = this.getAttribute(this.namedBy);
    if (!id) {
      this.#frame?.remove();
      this.#frame = null;
      // oxlint-disable-next-line no-console -- the author of the page must see why it is empty
      console.warn(`<${this.localName}> shows nothing without its attribute “${this.namedBy}”.`);
      return;
    }
    const token = this.getAttribute('token');
    const address = `${this.#origin}/embed/${this.page}/${encodeURIComponent(id)}`;
    const shown = JSON.stringify([address, token]);
    if (this.#frame && shown === this.#shown) {
      this.#frame.title = this.#title;
      return this.#tell({ parley: 'attributes', ...this.#attributes });
    }
    this.#shown = shown;
    this.#isReady = false;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#attributes)) if (value) query.set(name, value as string);
    // The fragment is not sent to the server, so no log contains the token.
    const fragment = token ? `#token=${encodeURIComponent(token)}` : '';
    const frame = document.createElement('iframe');
    frame.allow = permissions.join('; ');
    frame.title = this.#title;
    frame.style.cssText = 'position: absolute; inset: 0; width: 100%; height: 100%; border: 0;';
    frame.src = [address, String(query)].filter(Boolean).join('?') + fragment;
    // Another fragment alone would not load the page again.
    this.#frame?.remove();
    this.#frame = frame;
    this.append(frame);
  }

  /** The element emits the frame's messages as events: parley-ready, parley-joined, parley-left, parley-error. */
  readonly #onMessage = ({ source, origin, data }: MessageEvent): void => {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#origin) return;
    const message = data as FrameMessage | null;
    if (!frameMessages.some((name) => name === message?.parley)) return;
    if (message?.parley === 'ready') {
      this.#isReady = true;
      // They may have changed while it was loading.
      this.#tell({ parley: 'attributes', ...this.#attributes });
    }
    this.dispatchEvent(new CustomEvent(`parley-${message?.parley}`, { detail: message, bubbles: true }));
  };
}

/** <parley-room room="room_…" token="pt_…">: a room, for a guest with a participant token or for wallets. */
class ParleyRoom extends ParleyElement {
  protected readonly page = 'room';
  protected readonly namedBy = 'room';
}

/** <parley-call wallet="0x…" type="audio">: calls a wallet. The visitor signs in as guest or with a wallet. */
class ParleyCall extends ParleyElement {
  protected readonly page = 'call';
  protected readonly namedBy = 'wallet';
}

/** <parley-stream stream="str_…">: plays a stream. */
class ParleyStream extends ParleyElement {
  protected readonly page = 'stream';
  protected readonly namedBy = 'stream';
}

// Every rule of the page comes before these, also one that makes an element low, hides it or positions it.
const sheet = new CSSStyleSheet();
sheet.replaceSync(
  `:where(parley-room, parley-call, parley-stream):where(:not([hidden])) {
    display: block; position: relative; height: min(30rem, 100dvh);
  }`,
);
document.adoptedStyleSheets.push(sheet);

const elements = { 'parley-room': ParleyRoom, 'parley-call': ParleyCall, 'parley-stream': ParleyStream };
for (const [name, element] of Object.entries(elements))
  if (!customElements.get(name)) customElements.define(name, element);
