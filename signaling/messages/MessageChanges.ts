import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WireMessage } from '../../sdk/protocol/messages.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { EventLog, NewEvent } from '../events/EventLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { Attachments } from './Attachments.ts';
import type { MessageService, Reference } from './MessageService.ts';
import { isVisible, type MessageStore } from './MessageStore.ts';
import { withoutReaction, withReaction } from './reactions.ts';
import type { SearchIndex } from './SearchIndex.ts';
import type { MessageRow } from './tables.ts';
import { contentFor } from './toWire.ts';

interface ChangeDeps {
  store: MessageStore;
  messages: Pick<MessageService, 'visible' | 'countContent' | 'toMessages'>;
  index: Pick<SearchIndex, 'change' | 'remove'>;
  events: EventLog;
  blockList: BlockList;
  attachments: Attachments | null;
  /** Limits how many messages a wallet may send. */
  perSender: Limit;
}

/** Changes of existing messages: reactions, edits and deletion. */
export class MessageChanges {
  readonly #deps: ChangeDeps;

  constructor(deps: ChangeDeps) {
    this.#deps = deps;
  }

  /** Adds or removes a reaction. No event is sent when nothing changes. */
  async react(context: RequestContext, messageId: string, emoji: string, added: boolean): Promise<void> {
    const { store, messages, events, blockList, perSender } = this.#deps;
    const { wallet } = context;
    // A reaction is sent and stored like a message, so it counts like one.
    await perSender.consume(context);
    const seen = await messages.visible(wallet, messageId);
    const other = otherOf(seen, wallet);
    const hidden = seen.blocked || (await blockList.has(other, wallet));
    const at = toIso(new Date());
    const appended = await store.transaction(async (executor) => {
      const row = await store.lock(executor, messageId);
      if (!row || row.deletedAt)
        throw new ParleyError('CONFLICT', 'The message was deleted: it takes no reactions any more.');
      const own = { emoji, from: wallet };
      const reactions = added
        ? withReaction(row.reactions, { ...own, at, ...(hidden ? { hidden } : {}) })
        : withoutReaction(row.reactions, own);
      if (!reactions) return [];
      await store.change(executor, messageId, { reactions });
      const payload = { messageId, conversationId: row.conversation, emoji, from: wallet, added, at };
      return events.append(
        executor,
        eventsFor('message:reaction', payload, hidden ? [wallet] : [wallet, other]),
      );
    });
    await events.deliver(appended);
  }

  /**
   * Changes the content of a message of this wallet. No event is sent when nothing changes. If the recipient has blocked the sender, only
   * the sender sees the change.
   * @returns the message as its sender sees it
   */
  async edit(context: RequestContext, messageId: string, content: string): Promise<WireMessage> {
    const { store, messages, events, blockList } = this.#deps;
    const { wallet } = context;
    await messages.countContent(context, content);
    const seen = await messages.visible(wallet, messageId);
    if (seen.sender !== wallet)
      throw new ParleyError('ACCESS_DENIED', 'Only its sender can edit a message: send a message instead.');
    if (content === '' && seen.type === 'text')
      throw new ParleyError('VALIDATION_ERROR', 'content: must not be empty. Delete the message instead.');
    const unseen = !seen.blocked && (await blockList.has(seen.recipient, wallet));
    const appended = await store.transaction(async (executor) => {
      const row = await store.lock(executor, messageId);
      if (!row || row.deletedAt)
        throw new ParleyError('CONFLICT', 'The message was deleted: it cannot be edited any more.');
      // After an edit that the recipient was not shown, the same content is an edit for the recipient.
      const isNews = row.unseenEdit !== null && !unseen;
      if (contentFor(row, wallet).content === content && !isNews) return [];
      await this.#change(executor, row, content, unseen);
      const notified = [wallet, row.recipient].filter((each) => isVisible(row, each));
      const reference: Reference = { messageId };
      return events.append(executor, eventsFor('message:edited', reference, unseen ? [wallet] : notified));
    });
    await events.deliver(appended);
    const [edited] = await messages.toMessages(wallet, await store.find([messageId]));
    return edited as WireMessage;
  }

  async #change(executor: Executor, row: MessageRow, content: string, unseen: boolean): Promise<void> {
    const { store, index } = this.#deps;
    const at = new Date();
    const changes = unseen
      ? { unseenEdit: { content, at: toIso(at) } }
      : { content, editedAt: at, unseenEdit: null };
    await store.change(executor, row.id, changes);
    await index.change(executor, { ...row, ...changes }, unseen ? [row.sender] : [row.sender, row.recipient]);
  }

  /** Deletes a message for the requesting wallet only, or for everyone. Only the sender may delete for everyone. */
  async delete(wallet: Address, messageId: string, forEveryone: boolean): Promise<void> {
    const { store, events } = this.#deps;
    const appended = await store.transaction(async (executor) => {
      const row = await store.lock(executor, messageId);
      // A wallet may delete a message for itself again, even if it has already done so.
      const isParty = row && (row.sender === wallet || (row.recipient === wallet && !row.blocked));
      if (!row || !isParty)
        throw new ParleyError('NOT_FOUND', 'There is no such message: it may have been deleted.');
      if (forEveryone && row.sender !== wallet)
        throw new ParleyError(
          'ACCESS_DENIED',
          'Only the sender can delete a message for everyone: delete it for yourself.',
        );
      const notified = forEveryone
        ? await this.#erase(executor, row)
        : await this.#hide(executor, row, wallet);
      const at = toIso(new Date());
      const payload = { messageId, conversationId: row.conversation, forEveryone, at };
      return events.append(executor, eventsFor('message:deleted', payload, notified));
    });
    await events.deliver(appended);
  }

  /** Deletes the content and the file, and keeps the row. @returns the wallets to notify */
  async #erase(executor: Executor, row: MessageRow): Promise<Address[]> {
    if (row.deletedAt) return [];
    const erased = {
      ...{ deletedAt: new Date(), content: '', mediaId: null, reactions: [] },
      ...{ replyTo: null, editedAt: null, unseenEdit: null },
    };
    await this.#deps.store.change(executor, row.id, erased);
    await this.#deps.index.remove(executor, row, [row.sender, row.recipient]);
    if (row.mediaId) await this.#deps.attachments?.discard(executor, row.mediaId);
    return row.blocked ? [row.sender] : [row.sender, row.recipient];
  }

  /** Hides a message from one of its parties. @returns the wallets to notify */
  async #hide(executor: Executor, row: MessageRow, wallet: Address): Promise<Address[]> {
    const [own, others] =
      row.sender === wallet
        ? (['hiddenForSender', 'hiddenForRecipient'] as const)
        : (['hiddenForRecipient', 'hiddenForSender'] as const);
    if (row[own]) return [];
    await this.#deps.store.change(executor, row.id, { [own]: true });
    await this.#deps.index.remove(executor, row, [wallet]);
    // Neither party can see the message any more.
    if (row[others] || row.blocked) await this.#erase(executor, row);
    return [wallet];
  }
}

const otherOf = (row: MessageRow, wallet: Address) => (row.sender === wallet ? row.recipient : row.sender);

const eventsFor = (event: NewEvent['event'], payload: object, wallets: Address[]): NewEvent[] =>
  wallets.map((wallet) => ({ wallet, event, payload }));
