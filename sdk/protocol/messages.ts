import { z } from 'zod';
import { id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { isEmoji } from './emoji.ts';
import { fileId, mediaInfo } from './files.ts';

/** Characters as people count them: what a keyboard writes with two units is one. */
const maxContent = 10_000;

const messageType = z.enum(['text', 'image', 'video', 'audio']);
/** `sending` and `failed` are known to the sender's client alone. */
const messageStatus = z.enum(['sending', 'sent', 'delivered', 'read', 'failed']);
const emoji = z.string().refine(isEmoji, { error: 'one emoji' });

const content = plainText.refine((text) => text.length <= maxContent || [...text].length <= maxContent, {
  error: `at most ${maxContent} characters`,
});

const reaction = z.object({ emoji: z.string(), from: walletAddress, timestamp: isoDate });

export const message = z.object({
  id: id('msg'),
  from: walletAddress,
  to: walletAddress,
  /** Empty where it was deleted for everyone. */
  content: z.string(),
  type: messageType,
  media: mediaInfo.nullable(),
  /** When it was stored. Within a conversation no two are the same, and they rise in its order. */
  timestamp: isoDate,
  status: messageStatus,
  reactions: z.array(reaction),
  /** When it was deleted for everyone; this is what is left of it. */
  deletedAt: isoDate.nullable(),
});
export type WireMessage = z.infer<typeof message>;
export type WireReaction = z.infer<typeof reaction>;
export type MessageType = z.infer<typeof messageType>;
export type MessageStatus = z.infer<typeof messageStatus>;

const conversation = z.object({
  /** The same for both wallets. */
  id: id('cnv'),
  with: walletAddress,
  lastMessage: message.nullable(),
  /** Counted up to 10,000. */
  unreadCount: z.int().nonnegative(),
  /** The last message's; null where there is none. */
  updatedAt: isoDate.nullable(),
});
export type WireConversation = z.infer<typeof conversation>;

const messageId = id('msg');
const reactionRequest = z.strictObject({ messageId, emoji });

export const messageRequests = {
  /** The client makes the id. Sent again, with the same content, it is answered with the message that was stored. */
  'messages.send': {
    request: z
      .strictObject({
        id: messageId,
        to: walletAddress,
        content,
        type: messageType,
        mediaId: fileId.optional(),
      })
      .refine(({ type, mediaId }) => (type === 'text') === (mediaId === undefined), {
        error: 'an image, video or audio has a file, and a text has none',
        path: ['mediaId'],
      })
      .refine((given) => given.content !== '' || given.mediaId !== undefined, {
        error: 'empty only with a file',
        path: ['content'],
      }),
    /** With the number `message:sent` has for this wallet: the connection that sent it is not told of it apart from this. */
    response: message.extend({ sequence: z.int().positive().optional() }),
  },
  'messages.getConversations': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(100),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(conversation),
  },
  'messages.getConversation': {
    request: z.strictObject({ with: walletAddress }),
    response: conversation,
  },
  'messages.getMessages': {
    request: z.strictObject({
      with: walletAddress,
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
      before: isoDate.optional(),
    }),
    response: z.array(message),
  },
  /** This one, and all before it. */
  'messages.markAsRead': { request: z.strictObject({ messageId }), response: nothing },
  /** A device has them, and all before them in their conversations: the newest of each conversation is enough. */
  'messages.acknowledge': {
    request: z.strictObject({ messageIds: z.array(messageId).min(1).max(100) }),
    response: nothing,
  },
  'messages.addReaction': { request: reactionRequest, response: nothing },
  'messages.removeReaction': { request: reactionRequest, response: nothing },
  'messages.delete': {
    request: z.strictObject({ messageId, forEveryone: z.boolean().default(false) }),
    response: nothing,
  },
  'messages.setTyping': {
    request: z.strictObject({ to: walletAddress, typing: z.boolean() }),
    response: nothing,
  },
} as const;

/** This message, and all before it in its conversation. */
const receipt = z.object({
  messageId,
  conversationId: id('cnv'),
  /** Who has it, or has read it. */
  by: walletAddress,
  /** Who sent it. */
  from: walletAddress,
  at: isoDate,
});
export type WireReceipt = z.infer<typeof receipt>;

const typing = z.object({ from: walletAddress });

export const messageEvents = {
  'message:received': message,
  /** Another device of this wallet sent it. */
  'message:sent': message,
  /** To the sender. */
  'message:delivered': receipt,
  /** To the sender, and to the reader's own devices: the message, and who has read it. */
  'message:read': message.extend(receipt.shape),
  'message:reaction': z.object({
    messageId,
    conversationId: id('cnv'),
    emoji: z.string(),
    from: walletAddress,
    /** false: it was taken back. */
    added: z.boolean(),
    at: isoDate,
  }),
  'message:deleted': z.object({
    messageId,
    conversationId: id('cnv'),
    /** false: hidden, for this wallet alone. */
    forEveryone: z.boolean(),
    at: isoDate,
  }),
  'typing:start': typing,
  'typing:stop': typing,
} as const;
