import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Handlers } from '../socket/Handlers.ts';
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

export function messageHandlers({ messages, changes, receipts, typing }: HandlerDeps): Handlers<'messages'> {
  return {
    'messages.send': (context, payload) => messages.send(context, payload),
    'messages.getConversations': (context, payload) => messages.conversations(context.wallet, payload),
    'messages.getConversation': (context, payload) => messages.conversation(context.wallet, payload.with),
    'messages.getMessages': (context, payload) => messages.messages(context.wallet, payload),
    'messages.markAsRead': (context, payload) => messages.markAsRead(context.wallet, payload.messageId),
    'messages.acknowledge': (context, payload) => receipts.delivered(context.wallet, payload.messageIds),
    'messages.addReaction': (context, payload) =>
      changes.react(context, payload.messageId, payload.emoji, true),
    'messages.removeReaction': (context, payload) =>
      changes.react(context, payload.messageId, payload.emoji, false),
    'messages.delete': (context, payload) =>
      changes.delete(context.wallet, payload.messageId, payload.forEveryone),
    'messages.setTyping': (context, payload) => {
      if (payload.to === context.wallet)
        throw new ParleyError(
          'VALIDATION_ERROR',
          'to: a wallet cannot write to itself; name another wallet.',
        );
      return typing.set(context, payload.to, payload.typing);
    },
  };
}
