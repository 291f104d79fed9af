import { ParleyError } from '../../sdk/protocol/errors.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { MessageChanges } from './MessageChanges.ts';
import type { MessageService } from './MessageService.ts';
import type { Receipts } from './Receipts.ts';
import type { Typing } from './Typing.ts';

interface HandlerDeps {
  messages: MessageService;
  changes: MessageChanges;
  receipts: Receipts;
  typing: Typing;
}

export function messageHandlers({ messages, changes, receipts, typing }: HandlerDeps): Handler[] {
  const nothing = async (done: Promise<void>) => {
    await done;
    return {};
  };
  return [
    defineHandler('messages.send', ({ caller, payload }) => messages.send(caller, payload)),
    defineHandler('messages.getConversations', ({ caller, payload }) =>
      messages.conversations(caller.wallet, payload),
    ),
    defineHandler('messages.getConversation', ({ caller, payload }) =>
      messages.conversation(caller.wallet, payload.with),
    ),
    defineHandler('messages.getMessages', ({ caller, payload }) => messages.messages(caller.wallet, payload)),
    defineHandler('messages.markAsRead', ({ caller, payload }) =>
      nothing(messages.markAsRead(caller.wallet, payload.messageId)),
    ),
    defineHandler('messages.acknowledge', ({ caller, payload }) =>
      nothing(receipts.delivered(caller.wallet, payload.messageIds)),
    ),
    defineHandler('messages.addReaction', ({ caller, payload }) =>
      nothing(changes.react(caller, payload.messageId, payload.emoji, true)),
    ),
    defineHandler('messages.removeReaction', ({ caller, payload }) =>
      nothing(changes.react(caller, payload.messageId, payload.emoji, false)),
    ),
    defineHandler('messages.delete', ({ caller, payload }) =>
      nothing(changes.delete(caller.wallet, payload.messageId, payload.forEveryone)),
    ),
    defineHandler('messages.setTyping', ({ caller, payload }) => {
      if (payload.to === caller.wallet)
        throw new ParleyError('VALIDATION_ERROR', 'to: a wallet can’t write to itself.');
      return nothing(typing.set(caller, payload.to, payload.typing));
    }),
  ];
}
