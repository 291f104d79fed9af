import type { Message, Parley } from '@parley/sdk';
import { coalesced } from '../core/coalesced.ts';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { explain, type Problem } from '../problems/explain.ts';
import { createSession } from '../session/SessionController.ts';
import { emptyChat, joined, withEdit, withMessage, withoutMessage, type ChatState } from './chatState.ts';

const perPage = 40;
/** The maximum number of attempts to read a page. A change during an attempt makes the page stale; the last attempt is shown anyway. */
const maxReadings = 3;

/** The messages with one wallet, or of one group. */
export class ChatController {
  readonly store = new Store<ChatState>(emptyChat);
  readonly peer: string;
  readonly #client: Parley;
  readonly #services: Services;
  readonly #onChanged: () => void;
  readonly #controllers = new Map<string, AbortController>();
  #changes = 0;
  #readUpTo = 0;
  #isLoadingNewer = false;
  /** The ids of messages whose files have expired addresses. */
  readonly #expired = new Set<string>();
  /** The file of the message that `send` is about to hand to the SDK. */
  #beginning: { file: File; controller: AbortController } | null = null;

  /** @param onChanged called when this device changes a message, because the server sends no events to the device that made the change */
  constructor(services: Services, peer: string, onChanged: () => void) {
    this.#client = services.client;
    this.peer = peer;
    this.#services = services;
    this.#onChanged = onChanged;
    this.#set({ pending: this.#pending() });
  }

  /** Reads the latest page again and keeps the older messages already loaded. While newer messages are missing here, reads those shown. */
  readonly refresh = coalesced(async () => {
    this.#set({ isLoading: true });
    try {
      if (this.store.get().hasNewer) return await this.#refreshShown();
      let page: Message[] = [];
      for (let reading = 0; reading < maxReadings; reading++) {
        const changes = this.#changes;
        page = await this.#client.messages.getMessages({ with: this.peer, limit: perPage });
        if (changes === this.#changes) break;
      }
      // show() has replaced the messages in the meantime.
      if (this.store.get().hasNewer) return this.#set({ isLoading: false });
      const { messages, joins } = joined(page, this.store.get().messages ?? []);
      const hasMore = joins ? this.store.get().hasMore : page.length === perPage;
      this.#set({ messages, hasMore, isLoading: false, problem: null, pending: this.#pending() });
    } catch (error) {
      this.#set({ isLoading: false, problem: this.#explain(error) });
    }
  });

  /** Loads the next older page. */
  readonly more = async (): Promise<void> => {
    const { messages, hasMore, isLoadingMore } = this.store.get();
    const oldest = messages?.at(-1);
    if (!oldest || !hasMore || isLoadingMore) return;
    this.#set({ isLoadingMore: true });
    try {
      const before = oldest.timestamp;
      const page = await this.#client.messages.getMessages({ with: this.peer, limit: perPage, before });
      this.#set({ isLoadingMore: false });
      const known = this.store.get().messages ?? [];
      // The list was replaced while this page was being read, so messages may be missing between the list and the page.
      if (!known.some(({ id }) => id === oldest.id)) return;
      this.#set({ messages: [...known, ...page], hasMore: page.length === perPage });
    } catch (error) {
      this.#set({ isLoadingMore: false });
      this.#services.report(error);
    }
  };

  /** Loads the next newer page, after show() has skipped messages. */
  readonly newer = async (): Promise<void> => {
    const { messages, hasNewer } = this.store.get();
    const newest = messages?.[0];
    if (!newest || !hasNewer || this.#isLoadingNewer) return;
    this.#isLoadingNewer = true;
    try {
      const page = await this.#around(newest.id, 2 * perPage);
      const known = this.store.get().messages ?? [];
      // The list was replaced while this page was being read.
      if (known[0]?.id !== newest.id) return;
      this.#set({ messages: [...page.newer, ...known], hasNewer: page.hasNewer });
      page.catchUp();
    } catch (error) {
      this.#services.report(error);
    } finally {
      this.#isLoadingNewer = false;
    }
  };

  /** Shows a message. If it is not loaded, it replaces the messages by those around it. @param id of a message of this chat */
  readonly show = async (id: string): Promise<void> => {
    try {
      if (!this.store.get().messages?.some((message) => message.id === id)) {
        const { newer, older, hasNewer, hasMore, catchUp } = await this.#around(id, perPage);
        this.#set({ messages: [...newer, ...older], hasNewer, hasMore, problem: null });
        catchUp();
      }
      this.#set({ target: id });
    } catch (error) {
      this.#services.report(error);
    }
  };

  /** @internal Called when the message of show() was scrolled into view. */
  readonly shown = (): void => this.#set({ target: null });

  async #around(id: string, limit: number) {
    const changes = this.#changes;
    const page = await this.#client.messages.getMessages({ with: this.peer, around: id, limit });
    const at = page.findIndex((message) => message.id === id);
    const [newer, older] = [page.slice(0, at), page.slice(at)];
    const [hasNewer, hasMore] = [newer.length === limit / 2, older.length === limit / 2];
    // Messages that arrived during the request may be missing in the page.
    const catchUp = () => void (changes !== this.#changes && this.refresh());
    return { newer, older, hasNewer, hasMore, catchUp };
  }

  /** For the current addresses of files, and for changes that this device has missed. */
  async #refreshShown(): Promise<void> {
    const shown = this.store.get().messages ?? [];
    const middle = shown[Math.floor(shown.length / 2)];
    const page = middle ? await this.#around(middle.id, 2 * perPage) : null;
    const read = new Map([...(page?.newer ?? []), ...(page?.older ?? [])].map((each) => [each.id, each]));
    const messages = this.store.get().messages?.map((message) => read.get(message.id) ?? message) ?? null;
    this.#set({ messages, isLoading: false, problem: null, pending: this.#pending() });
  }

  /** Reads the current address of a file that cannot be loaded. Those of the messages around it have mostly expired with it. */
  readonly renew = (id: string): Promise<void> => {
    this.#expired.add(id);
    return this.#renewExpired();
  };

  readonly #renewExpired = coalesced(async () => {
    try {
      for (const id of this.#expired) {
        const { newer, older } = await this.#around(id, 2 * perPage);
        const read = new Map([...newer, ...older].map((message) => [message.id, message.media]));
        for (const each of [id, ...read.keys()]) this.#expired.delete(each);
        const messages = this.store.get().messages?.map((message) => {
          const media = read.get(message.id);
          return message.media && media ? { ...message, media } : message;
        });
        if (messages) this.#set({ messages });
      }
    } catch {
      this.#expired.clear();
      // Shows why, unless it works now.
      await this.refresh();
    }
  });

  /** Sends a text, or a file with a caption. Its bubble shows the progress. @param replyTo the message it replies to */
  send(content: string, file?: File, replyTo?: Message): void {
    // The new message is shown below the latest ones.
    if (this.store.get().hasNewer) void this.restart();
    const controller = new AbortController();
    this.#beginning = file ? { file, controller } : null;
    const { messages } = this.#client;
    const common = { to: this.peer, content, ...(replyTo && { replyTo }) };
    // The SDK reports the message's id synchronously, with message:sending.
    const sending = file
      ? messages.sendFile({
          ...common,
          file,
          name: file.name,
          mimeType: file.type,
          signal: controller.signal,
          onProgress: ({ loaded, total }) => this.#setPart(controller, loaded / total),
        })
      : messages.send({ ...common, type: 'text' });
    sending.then((message) => this.settled(message)).catch(() => undefined);
    this.#beginning = null;
  }

  /** Changes the text of a message. @throws ParleyError as `client.messages.edit()` */
  readonly edit = async (message: Message, content: string): Promise<void> => {
    const edited = await this.#client.messages.edit(message.id, content);
    this.change((messages) => withEdit(messages, edited));
    this.showPending();
    this.#onChanged();
  };

  cancel(id: string): void {
    this.#controllers.get(id)?.abort(new Error('You cancelled the upload.'));
  }

  retry(id: string): void {
    this.#client.messages
      .retry(id)
      .then((message) => this.settled(message))
      .catch(() => this.showPending());
  }

  discard(id: string): void {
    this.#client.messages.discard(id);
    this.#forgetFile(id);
    this.showPending();
  }

  /** Marks the received messages as read. Called while the user sees the chat. */
  readonly markAsRead = (): void => {
    const own = this.#services.get(createSession).address;
    const unread = this.store.get().messages?.find(({ from, status }) => from !== own && status !== 'read');
    const at = unread?.timestamp.getTime() ?? 0;
    if (!unread || at <= this.#readUpTo) return;
    const before = this.#readUpTo;
    this.#readUpTo = at;
    this.#client.messages.markAsRead(unread.id).catch(() => {
      if (this.#readUpTo === at) this.#readUpTo = before;
    });
  };

  async react(message: Message, emoji: string, wanted: boolean): Promise<void> {
    const { messages } = this.#client;
    await this.#try(() =>
      wanted ? messages.addReaction(message.id, emoji) : messages.removeReaction(message.id, emoji),
    );
  }

  readonly delete = async ({ id: messageId }: Message, forEveryone: boolean): Promise<void> => {
    await this.#client.messages.delete(messageId, { forEveryone });
    this.change((messages) => withoutMessage(messages, { messageId, forEveryone, at: new Date() }));
    this.#onChanged();
  };

  typing(isTyping: boolean): void {
    this.#client.messages.setTyping(this.peer, isTyping).catch(() => undefined);
  }

  /** @internal Shows a message that this device is sending. */
  sending(message: Message): void {
    if (this.#beginning) {
      const { file, controller } = this.#beginning;
      this.#controllers.set(message.id, controller);
      const fileOnItsWay = { name: file.name, url: URL.createObjectURL(file), part: 0 };
      this.#set({ files: { ...this.store.get().files, [message.id]: fileOnItsWay } });
    }
    this.showPending();
  }

  /** @internal */
  failed(message: Message, error: Error): void {
    if (this.#controllers.get(message.id)?.signal.aborted) return this.discard(message.id);
    this.#set({ failures: { ...this.store.get().failures, [message.id]: this.#explain(error) } });
    this.showPending();
  }

  /** @internal Called when the server has stored the message. */
  settled(message: Message): void {
    this.change((messages) => withMessage(messages, message));
    this.showPending();
    this.#forgetFile(message.id);
    this.#onChanged();
  }

  /** @internal Applies a change that the server has made. */
  change(change: (messages: Message[]) => Message[]): void {
    this.#changes += 1;
    const { messages, hasNewer } = this.store.get();
    if (!messages) return;
    const newest = messages[0]?.timestamp ?? 0;
    const changed = change(messages);
    // A new message is shown below the messages before it, once they are loaded.
    this.#set({ messages: hasNewer ? changed.filter(({ timestamp }) => timestamp <= newest) : changed });
  }

  /** Returns from show() to the latest messages. */
  readonly latest = async (): Promise<void> => {
    this.#set({ hasNewer: false });
    await this.refresh();
  };

  /** @internal Begins again with the latest messages. */
  async restart(): Promise<void> {
    this.#set({ messages: null, hasMore: false, hasNewer: false });
    await this.refresh();
  }

  /** @internal Forgets the messages of a wallet whose session has ended. Those that it has not sent yet are kept for it, with their files. */
  clear(): void {
    const { files, failures } = this.store.get();
    this.#readUpTo = 0;
    this.#set({ ...emptyChat, files, failures, pending: this.#pending() });
  }

  showPending(): void {
    this.#set({ pending: this.#pending() });
  }

  #pending(): Message[] {
    const stored = new Set(this.store.get().messages?.map(({ id }) => id));
    const isOpen = ({ id }: Message) => !stored.has(id);
    return this.#client.messages
      .pending(this.peer)
      .filter(isOpen)
      .sort((one, other) => one.timestamp.getTime() - other.timestamp.getTime());
  }

  #setPart(controller: AbortController, part: number): void {
    const [id] = [...this.#controllers].find(([, each]) => each === controller) ?? [];
    const { files } = this.store.get();
    const file = id === undefined ? undefined : files[id];
    if (id !== undefined && file) this.#set({ files: { ...files, [id]: { ...file, part } } });
  }

  #forgetFile(id: string): void {
    this.#controllers.delete(id);
    const { [id]: file, ...files } = this.store.get().files;
    if (!file) return;
    this.#set({ files });
    URL.revokeObjectURL(file.url);
  }

  #explain(error: unknown): Problem {
    return explain(error, this.#services.words.problems);
  }

  async #try(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#services.report(error);
    }
  }

  #set(changed: Partial<ChatState>): void {
    this.store.set({ ...this.store.get(), ...changed });
  }
}
