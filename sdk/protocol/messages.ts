import { z } from 'zod';
import { id, isoDate, nothing, plainText, recipient, walletAddress } from './common.ts';
import { isEmoji } from './emoji.ts';
import { fileId, mediaInfo } from './files.ts';
import { groupSummary } from './groups.ts';
import { pageOf } from './http.ts';

/** The maximum length of a message in code points. A character of two UTF-16 units counts as one. */
const maxContent = 10_000;

const messageType = z.enum(['text', 'image', 'video', 'audio', 'file']);
/** Only the sender's client uses `sending` and `failed`. */
const messageStatus = z.enum(['sending', 'sent', 'delivered', 'read', 'failed']);
const emoji = z.string().refine(isEmoji, { error: 'must be one emoji' });

const content = plainText.refine((text) => text.length <= maxContent || [...text].length <= maxContent, {
  error: `must have at most ${maxContent} characters`,
});

const reaction = z.object({ emoji: z.string(), from: walletAddress, timestamp: isoDate });

/** The message that a reply refers to, as the reader sees it. */
const quote = z.object({
  id: id('msg'),
  from: walletAddress,
  /** The first 200 characters. Empty if the message was deleted, or if this wallet cannot see it. */
  content: z.string(),
  type: messageType,
});

export const message = z.object({
  id: id('msg'),
  from: walletAddress,
  /** The other wallet, or the group. */
  to: recipient,
  /** Empty if the message was deleted for everyone. */
  content: z.string(),
  type: messageType,
  media: mediaInfo.nullable(),
  /** When the message was stored. Within a conversation, each message has a later time than the one before it. */
  timestamp: isoDate,
  /** Of a message to a group, its sender sees `delivered` and `read` once that is true for all members. */
  status: messageStatus,
  reactions: z.array(reaction),
  /** When the message was deleted for everyone; null if it was not. */
  deletedAt: isoDate.nullable(),
  /** The message that this one replies to; null if it is no reply. */
  replyTo: quote.nullable(),
  /** When the sender last changed the content; null if it was not changed. */
  editedAt: isoDate.nullable(),
});
export type WireMessage = z.infer<typeof message>;
export type WireQuote = z.infer<typeof quote>;
export type WireReaction = z.infer<typeof reaction>;
/** What a message contains. */
export type MessageType = z.infer<typeof messageType>;
/** The state of a message. `sending` and `failed` exist only on the device that sends it. */
export type MessageStatus = z.infer<typeof messageStatus>;

/** A conversation of two wallets, or a group. */
const conversationId = z
  .string()
  .regex(/^(cnv|grp)_[0-9A-Za-z]{24}$/)
  .meta({
    description: 'The id of a conversation of two wallets (cnv_…) or of a group (grp_…).',
    examples: ['cnv_4fT9qLx2VbN7cRk0HsWdJyAe'],
  });

const conversation = z.object({
  /** The id, which is the same for all its wallets. */
  id: conversationId,
  /** The other wallet, or the group. */
  with: recipient,
  /** null for a conversation of two wallets. */
  group: groupSummary.nullable(),
  lastMessage: message.nullable(),
  /** The number of unread messages. Counting stops at 10,000. */
  unreadCount: z.int().nonnegative(),
  /** The time of the last message. Without one, the time when this wallet was invited to the group or entered it, or null. */
  updatedAt: isoDate.nullable(),
});
export type WireConversation = z.infer<typeof conversation>;

const messageId = id('msg');
const reactionRequest = z.strictObject({ messageId, emoji });

export const messageRequests = {
  /** The client chooses the id. A repeated request with the same id and content returns the stored message. */
  'messages.send': {
    request: z
      .strictObject({
        id: messageId,
        to: recipient,
        content,
        type: messageType,
        mediaId: fileId.optional(),
        /** A message of the same conversation that the sender can see. */
        replyTo: messageId.optional(),
      })
      .refine(({ type, mediaId }) => (type === 'text') === (mediaId === undefined), {
        error: 'is required for an image, video, audio file or document, and not allowed for a text',
        path: ['mediaId'],
      })
      .refine((given) => given.content !== '' || given.mediaId !== undefined, {
        error: 'must not be empty without a file',
        path: ['content'],
      }),
    /**
     * `sequence` is the number of the `message:sent` event for this wallet. The connection that sent the message does not get that
     * event.
     */
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
    request: z.strictObject({ with: recipient }),
    response: conversation,
  },
  'messages.getMessages': {
    request: z
      .strictObject({
        with: recipient,
        limit: z.int().min(1).max(100).default(50),
        offset: z.int().min(0).max(100_000).default(0),
        before: isoDate.optional(),
        /** A message of the conversation, to read it with those before and after it. At most half of `limit` are newer. */
        around: messageId.optional(),
      })
      .refine(
        ({ around, before, offset }) => around === undefined || (before === undefined && offset === 0),
        {
          error: 'is not allowed together with before or offset',
          path: ['around'],
        },
      ),
    response: z.array(message),
  },
  /** Marks this message and all before it as read. */
  'messages.markAsRead': { request: z.strictObject({ messageId }), response: nothing },
  /**
   * Acknowledges that a device has received these messages and all before them in their conversations. It is enough to send the newest
   * id of each conversation.
   */
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
  /**
   * Changes the content of a message of this wallet. The content of a text must not be empty. All wallets of the conversation get `message:edited` if the
   * content changes.
   */
  'messages.edit': { request: z.strictObject({ messageId, content }), response: message },
  /**
   * Finds messages that contain all words of the query, newest first. A word of the query also finds words that begin with it. Case and
   * accents do not matter.
   */
  'messages.search': {
    request: z.strictObject({
      query: plainText.min(1).max(200),
      /** Only messages of the conversation with this wallet, or of this group. */
      with: recipient.optional(),
      limit: z.int().min(1).max(100).default(50),
      /** The `nextCursor` of the previous page. */
      cursor: plainText.max(100).optional(),
    }),
    response: pageOf(message),
  },
  'messages.setTyping': {
    request: z.strictObject({ to: recipient, typing: z.boolean() }),
    response: nothing,
  },
} as const;

/** A receipt for this message and all before it in its conversation. */
const receipt = z.object({
  messageId,
  conversationId,
  /** The recipient, who received or read it. */
  by: walletAddress,
  /** The sender. */
  from: walletAddress,
  at: isoDate,
  /** Only in a group: all other members have received this wallet's messages up to this time. Missing if there is no other member. */
  allDeliveredUntil: isoDate.optional(),
  /** Only in a group: all other members have read this wallet's messages up to this time. Missing if there is no other member. */
  allReadUntil: isoDate.optional(),
});
export type WireReceipt = z.infer<typeof receipt>;

const typing = z.object({
  from: walletAddress,
  /** The group to which the wallet writes. Missing if it writes to this wallet alone. */
  group: id('grp').optional(),
});

export const messageEvents = {
  'message:received': message,
  /** Another device of this wallet sent a message. */
  'message:sent': message,
  /** To the sender: in a group, to each sender whose messages the wallet has received since its last receipt. */
  'message:delivered': receipt,
  /** To the sender (in a group, as for `message:delivered`), and to the reader's other devices: the message and its receipt. */
  'message:read': message.extend(receipt.shape),
  'message:reaction': z.object({
    messageId,
    conversationId,
    emoji: z.string(),
    from: walletAddress,
    /** false: the reaction was removed. */
    added: z.boolean(),
    at: isoDate,
  }),
  'message:deleted': z.object({
    messageId,
    conversationId,
    /** false: the message is only hidden from this wallet. */
    forEveryone: z.boolean(),
    at: isoDate,
  }),
  /** To all wallets of the conversation: the message after the sender has changed its content. */
  'message:edited': message,
  'typing:start': typing,
  'typing:stop': typing,
} as const;
