/** The words of all chats. */
export const conversation = {
  messages: 'Messages',
  message: 'Message',
  send: 'Send',
  back: 'Back to conversations',
  older: 'Show older messages',
  newBelow: 'New message',
  toLatest: 'Latest messages',
  noMessages: 'No messages yet',
  messageEveryone: 'Message everyone',
  you: 'You',
  spokenYou: 'You: ',
  spokenThey: 'They: ',
  saidBy: (name: string) => `${name}: `,
  unread: (count: number) => `${count} unread ${count === 1 ? 'message' : 'messages'}`,
};
