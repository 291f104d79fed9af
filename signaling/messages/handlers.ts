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
    defineHandler('messages.send', ({ context, payload }) => messages.send(context, payload)),
    defineHandler('messages.getConversations', ({ context, payload }) =>
      messages.conversations(context.wallet, payload),
    ),
    defineHandler('messages.getConversation', ({ context, payload }) =>
      messages.conversation(context.wallet, payload.with),
    ),
    defineHandler('messages.getMessages', ({ context, payload }) =>
      messages.messages(context.wallet, payload),
    ),
    defineHandler('messages.markAsRead', ({ context, payload }) =>
      nothing(messages.markAsRead(context.wallet, payload.messageId)),
    ),
    defineHandler('messages.acknowledge', ({ context, payload }) =>
      nothing(receipts.delivered(context.wallet, payload.messageIds)),
    ),
    defineHandler('messages.addReaction', ({ context, payload }) =>
      nothing(changes.react(context, payload.messageId, payload.emoji, true)),
    ),
    defineHandler('messages.removeReaction', ({ context, payload }) =>
      nothing(changes.react(context, payload.messageId, payload.emoji, false)),
    ),
    defineHandler('messages.delete', ({ context, payload }) =>
      nothing(changes.delete(context.wallet, payload.messageId, payload.forEveryone)),
    ),
    defineHandler('messages.setTyping', ({ context, payload }) => {
      if (payload.to === context.wallet)
        throw new ParleyError(
          'VALIDATION_ERROR',
          'to: a wallet cannot write to itself; name another wallet.',
        );
      return nothing(typing.set(context, payload.to, payload.typing));
    }),
  ];
}
