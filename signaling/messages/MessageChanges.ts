import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { isGroup } from '../../sdk/protocol/group.ts';
import type { WireMessage } from '../../sdk/protocol/messages.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { GroupService } from '../groups/GroupService.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { EventLog, NewEvent } from '../events/EventLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Attachments } from './Attachments.ts';
import type { MessageService, Reference } from './MessageService.ts';
import { isHidden, type MessageStore } from './MessageStore.ts';
import { isSame, withoutReaction, withReaction } from './reactions.ts';
import type { SearchIndex } from './SearchIndex.ts';
import type { MessageRow } from './tables.ts';
import { contentFor } from './toWire.ts';

interface ChangeDeps {
  store: MessageStore;
  messages: Pick<MessageService, 'visible' | 'countChange' | 'toMessages'>;
  index: Pick<SearchIndex, 'change' | 'remove'>;
  groups: Pick<GroupService, 'requireMember'>;
  events: EventLog;
  blockList: BlockList;
  attachments: Attachments | null;
}

/** Changes of existing messages: reactions, edits and deletion. */
export class MessageChanges {
  readonly #deps: ChangeDeps;

  constructor(deps: ChangeDeps) {
    this.#deps = deps;
  }

  /** Adds or removes a reaction. No event is sent when nothing changes. */
  async react(context: RequestContext, messageId: string, emoji: string, added: boolean): Promise<void> {
    const { store, messages, events, blockList } = this.#deps;
    const { wallet } = context;
    const seen = await messages.visible(wallet, messageId);
    await this.#requireMember(seen, wallet);
    await messages.countChange(context, seen);
    const other = otherOf(seen, wallet);
    const isBlocked = seen.blocked || (other !== null && (await blockList.has(other, wallet)));
    const at = toIso(new Date());
    const { appended } = await events.commit((append) =>
      store.transaction(async (executor) => {
        const row = await store.lock(executor, messageId);
        if (!row || row.deletedAt)
          throw new ParleyError('CONFLICT', 'The message was deleted: it takes no reactions any more.');
        const own = { emoji, from: wallet };
        // Who was shown a reaction also learns of its removal, although it may have blocked its author since.
        const hidden = added ? isBlocked : row.reactions.some((each) => isSame(each, own) && each.hidden);
        const reactions = added
          ? withReaction(row.reactions, { ...own, at, ...(hidden ? { hidden } : {}) })
          : withoutReaction(row.reactions, own);
        if (!reactions) return;
        await store.change(executor, messageId, { reactions });
        const payload = { messageId, conversationId: row.conversation, emoji, from: wallet, added, at };
        const notified = hidden ? [wallet] : await store.audience(row, executor);
        await append(executor, eventsFor('message:reaction', payload, notified));
      }),
    );
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
    const seen = await messages.visible(wallet, messageId);
    if (seen.sender !== wallet)
      throw new ParleyError('ACCESS_DENIED', 'Only its sender can edit a message: send a message instead.');
    if (content === '' && seen.type === 'text')
      throw new ParleyError('VALIDATION_ERROR', 'content: must not be empty. Delete the message instead.');
    await this.#requireMember(seen, wallet);
    await messages.countChange(context, seen, content);
    const other = otherOf(seen, wallet);
    const unseen = !seen.blocked && other !== null && (await blockList.has(other, wallet));
    const { appended } = await events.commit((append) =>
      store.transaction(async (executor) => {
        const row = await store.lock(executor, messageId);
        if (!row || row.deletedAt)
          throw new ParleyError('CONFLICT', 'The message was deleted: it cannot be edited any more.');
        // After an edit that the recipient was not shown, the same content is an edit for the recipient.
        const isNews = row.unseenEdit !== null && !unseen;
        if (contentFor(row, wallet).content === content && !isNews) return;
        const shownTo = unseen ? [wallet] : await store.audience(row, executor);
        await this.#change(executor, row, { content, unseen, shownTo });
        const notified = shownTo.filter((each) => !isHidden(row, each));
        const reference: Reference = { messageId };
        await append(executor, eventsFor('message:edited', reference, notified));
      }),
    );
    await events.deliver(appended);
    const [edited] = await messages.toMessages(wallet, await store.find([messageId], wallet));
    return edited as WireMessage;
  }

  /** @param shownTo the wallets that see the new content */
  async #change(
    executor: Executor,
    row: MessageRow,
    { content, unseen, shownTo }: { content: string; unseen: boolean; shownTo: Address[] },
  ): Promise<void> {
    const { store, index } = this.#deps;
    const at = new Date();
    const changes = unseen
      ? { unseenEdit: { content, at: toIso(at) } }
      : { content, editedAt: at, unseenEdit: null };
    await store.change(executor, row.id, changes);
    await index.change(executor, { ...row, ...changes }, shownTo);
  }

  /** A wallet that has left a group still sees its old messages, but neither reacts nor edits there any more. */
  async #requireMember({ recipient }: MessageRow, wallet: Address): Promise<void> {
    if (isGroup(recipient)) await this.#deps.groups.requireMember(wallet, recipient);
  }

  /**
   * Deletes a message for the requesting wallet only, or for everyone. Only the sender may delete for everyone, also after it has left the
   * group: what it wrote stays its own.
   */
  async delete(wallet: Address, messageId: string, forEveryone: boolean): Promise<void> {
    const { store, events } = this.#deps;
    const { appended } = await events.commit((append) =>
      store.transaction(async (executor) => {
        const row = await store.lock(executor, messageId);
        // A wallet may delete a message for itself again, even if it has already done so.
        const parties = row ? await store.audience(row, executor) : [];
        if (!row || !parties.includes(wallet))
          throw new ParleyError('NOT_FOUND', 'There is no such message: it may have been deleted.');
        if (forEveryone && row.sender !== wallet)
          throw new ParleyError(
            'ACCESS_DENIED',
            'Only the sender can delete a message for everyone: delete it for yourself.',
          );
        const notified = forEveryone
          ? await this.#erase(executor, row, parties)
          : await this.#hide(executor, row, wallet);
        const at = toIso(new Date());
        const payload = { messageId, conversationId: row.conversation, forEveryone, at };
        await append(executor, eventsFor('message:deleted', payload, notified));
      }),
    );
    await events.deliver(appended);
  }

  /** Deletes the content and the file, and keeps the row. @returns the wallets to notify */
  async #erase(executor: Executor, row: MessageRow, parties: Address[]): Promise<Address[]> {
    if (row.deletedAt) return [];
    const erased = {
      ...{ deletedAt: new Date(), content: '', mediaId: null, reactions: [] },
      ...{ replyTo: null, editedAt: null, unseenEdit: null },
    };
    await this.#deps.store.change(executor, row.id, erased);
    await this.#deps.index.remove(executor, row, parties);
    if (row.mediaId) await this.#deps.attachments?.discard(executor, row.mediaId);
    return parties;
  }

  /** Hides a message from one of its wallets. @returns the wallets to notify */
  async #hide(executor: Executor, row: MessageRow, wallet: Address): Promise<Address[]> {
    if (isHidden(row, wallet)) return [];
    const { store, index } = this.#deps;
    const hiding = hidingFrom(row, wallet);
    await store.change(executor, row.id, hiding);
    await index.remove(executor, row, [wallet]);
    const parties = await store.audience(row, executor);
    // Nobody can see the message any more.
    if (parties.every((party) => isHidden({ ...row, ...hiding }, party)))
      await this.#erase(executor, row, parties);
    return [wallet];
  }
}

/** The other wallet; null in a group. */
function otherOf({ sender, recipient }: MessageRow, wallet: Address): Address | null {
  if (isGroup(recipient)) return null;
  return sender === wallet ? recipient : sender;
}

function hidingFrom({ sender, recipient, hiddenFor }: MessageRow, wallet: Address): Partial<MessageRow> {
  if (sender === wallet) return { hiddenForSender: true };
  return recipient === wallet ? { hiddenForRecipient: true } : { hiddenFor: [...hiddenFor, wallet] };
}

const eventsFor = (event: NewEvent['event'], payload: object, wallets: Address[]): NewEvent[] =>
  wallets.map((wallet) => ({ wallet, event, payload }));
