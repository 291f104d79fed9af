import { guestsCannot, ParleyError } from '../../protocol/errors.ts';

/**
 * The parameters of the public methods in order, as `name:kind`, with `?` for optional ones. JavaScript code has no type checks, so the
 * arguments are checked at run time. The error names the invalid parameter.
 */
export const parameters = {
  account: {
    get: '',
    credits: '',
    usage: 'query:object?',
    history: 'query:object?',
    subscription: '',
    plans: '',
    topUp: 'credits:number',
    subscribe: 'planId:text',
    cancelSubscription: '',
    payments: 'query:object?',
    identities: '',
    linkIdentity: 'proof:object',
    unlinkIdentity: 'id:text',
  },
  accountCalls: { list: 'query:object?', get: 'callId:text', end: 'callId:text' },
  accountRecordings: { list: 'query:object?', get: 'recordingId:text', delete: 'recordingId:text' },
  apiKeys: {
    list: 'query:object?',
    create: 'key:object',
    rotate: 'id:text',
    revoke: 'id:text',
    publishable: '',
    auditLogs: 'query:object?',
  },
  calls: {
    start: 'options:object',
    answer: 'callId:text options:object?',
    decline: 'callId:text options:object?',
    end: 'callId:text',
    mute: 'callId:text',
    unmute: 'callId:text',
    toggleMute: 'callId:text',
    disableVideo: 'callId:text',
    enableVideo: 'callId:text',
    startScreenShare: 'callId:text options:object?',
    stopScreenShare: 'callId:text',
    addPeople: 'callId:text addresses:list',
    startRecording: 'callId:text',
    stopRecording: 'callId:text',
    getHistory: 'query:object?',
    getActive: '',
    rejoin: 'callId:text options:object?',
    block: 'address:text',
    unblock: 'address:text',
    getBlocked: '',
  },
  conference: {
    create: 'room:object',
    join: 'room:text|object options:object?',
    leave: 'roomId:text',
    muteAudio: 'roomId:text',
    unmuteAudio: 'roomId:text',
    muteVideo: 'roomId:text',
    unmuteVideo: 'roomId:text',
    startScreenShare: 'roomId:text options:object?',
    stopScreenShare: 'roomId:text',
    end: 'roomId:text',
    kick: 'roomId:text participantId:text',
    muteParticipant: 'roomId:text participantId:text',
    setRole: 'roomId:text participantId:text role:text',
    lock: 'roomId:text locked:flag?',
    list: 'query:object?',
    get: 'roomId:text',
    past: 'query:object?',
    invite: 'roomId:text addresses:list',
    startRecording: 'roomId:text',
    stopRecording: 'roomId:text',
    raiseHand: 'roomId:text raised:flag?',
    sendChat: 'roomId:text content:text',
    getChat: 'roomId:text query:object?',
    sendData: 'roomId:text topic:text data:data options:object?',
    getWaiting: 'roomId:text',
    admit: 'roomId:text walletAddress:text',
    admitAll: 'roomId:text',
    deny: 'roomId:text walletAddress:text',
  },
  breakouts: {
    create: 'breakouts:object',
    list: 'roomId:text',
    move: 'move:object',
    end: 'roomId:text',
    broadcast: 'roomId:text content:text',
    callHost: 'roomId:text',
  },
  gatedRooms: {
    create: 'room:object',
    checkAccess: 'roomId:text walletAddress:text',
    getChains: '',
    inspect: 'chainId:number contractAddress:text',
    getExample: 'chainId:number contractAddress:text',
  },
  streaming: {
    create: 'stream:object',
    start: 'options:object',
    end: 'streamId:text',
    watch: 'streamId:text options:object?',
    unwatch: 'streamId:text',
    muteAudio: 'streamId:text',
    unmuteAudio: 'streamId:text',
    muteVideo: 'streamId:text',
    unmuteVideo: 'streamId:text',
    startScreenShare: 'streamId:text options:object?',
    stopScreenShare: 'streamId:text',
    get: 'streamId:text',
    list: 'query:object?',
    resetKey: 'streamId:text',
    getViewers: 'streamId:text query:object?',
    getViewerToken: 'streamId:text',
    sendChat: 'streamId:text content:text',
    getChat: 'streamId:text query:object?',
    deleteChat: 'streamId:text messageId:text',
    ban: 'streamId:text walletAddress:text banned:flag?',
  },
  media: {
    upload: 'file:file options:object?',
    setDevice: 'kind:text deviceId:text',
    stats: 'id:text',
    publish: 'id:text track:track options:object',
    unpublish: 'id:text source:text',
    devices: '',
    setAudioProcessing: 'processing:object',
    setEffect: 'kind:text effect:object|null',
    startAudio: '',
  },
  recordings: { list: 'query:object?', get: 'recordingId:text', delete: 'recordingId:text' },
  voicemail: {
    record: 'options:object',
    stop: '',
    getAll: 'query:object?',
    get: 'voicemailId:text',
    markAsRead: 'voicemailId:text',
    delete: 'voicemailId:text',
    transcribe: 'voicemailId:text',
  },
  operator: { payments: 'query:object?' },
  esim: {
    packages: 'query:object?',
    checkout: 'order:object options:object?',
    orders: 'query:object?',
    order: 'orderId:text',
  },
  leaksearch: {
    search: 'question:object options:object?',
    searchWithCredits: 'question:object options:object?',
  },
  lookup: { lookup: 'question:object options:object?' },
  messaging: {
    send: 'message:object options:object?',
    threads: 'query:object?',
    thread: 'counterparty:text query:object?',
  },
  numbers: {
    available: 'query:object',
    buy: 'number:object options:object?',
    buyUs: 'number:object? options:object?',
    buyIntl: 'number:object options:object?',
    status: 'orderId:text',
    mine: 'query:object?',
    messages: 'query:object?',
    send: 'message:object options:object?',
    renew: 'renewal:object options:object?',
    setAutoRenew: 'id:text autoRenew:flag',
    release: 'numberId:text',
    setWebhook: 'webhook:object',
    webhook: 'which:object',
    testWebhook: 'which:object',
    webhookDeliveries: 'query:object?',
  },
  rooms: {
    create: 'room:object options:object?',
    list: 'query:object?',
    get: 'roomId:text',
    update: 'roomId:text changes:object',
    end: 'roomId:text',
    participants: 'roomId:text query:object?',
    participant: 'roomId:text participantId:text',
    updateParticipant: 'roomId:text participantId:text changes:object',
    removeParticipant: 'roomId:text participantId:text',
    muteParticipant: 'roomId:text participantId:text',
    moveParticipant: 'roomId:text participantId:text to:text',
    createBreakouts: 'roomId:text breakouts:object options:object?',
    breakouts: 'roomId:text',
    endBreakouts: 'roomId:text',
    messages: 'roomId:text query:object?',
    sendMessage: 'roomId:text message:object options:object?',
    sendData: 'roomId:text topic:text data:data options:object?',
    recording: 'roomId:text',
    startRecording: 'roomId:text',
    stopRecording: 'roomId:text',
    createToken: 'roomId:text token:object options:object?',
    tokens: 'roomId:text query:object?',
    revokeToken: 'roomId:text tokenId:text',
  },
  sms: { send: 'text:object options:object?', rate: 'to:text', inbox: 'query:object?', get: 'id:text' },
  streams: {
    create: 'stream:object options:object?',
    list: 'query:object?',
    get: 'streamId:text',
    update: 'streamId:text changes:object',
    end: 'streamId:text',
    resetKey: 'streamId:text options:object?',
    viewers: 'streamId:text query:object?',
    ban: 'streamId:text viewer:object',
    unban: 'streamId:text viewer:object',
    createViewerToken: 'streamId:text token:object?',
    createToken: 'streamId:text token:object options:object?',
    tokens: 'streamId:text query:object?',
    revokeToken: 'streamId:text tokenId:text',
  },
  verifications: { start: 'verification:object options:object?', check: 'guess:object' },
  webhooks: {
    create: 'endpoint:object',
    list: 'query:object?',
    get: 'endpointId:text',
    update: 'endpointId:text change:object',
    remove: 'endpointId:text',
    test: 'endpointId:text',
    deliveries: 'endpointId:text query:object?',
    replay: 'deliveryId:text',
    events: 'query:object?',
  },
  xmpp: { provision: 'account:object? options:object?' },
  messages: {
    send: 'message:object',
    sendFile: 'message:object',
    edit: 'messageId:text content:text',
    search: 'search:object',
    retry: 'messageId:text',
    getConversations: 'query:object?',
    getConversation: 'peer:text',
    getMessages: 'query:object',
    markAsRead: 'messageId:text',
    addReaction: 'messageId:text emoji:text',
    removeReaction: 'messageId:text emoji:text',
    delete: 'messageId:text options:object?',
    setTyping: 'to:text typing:flag',
  },
  people: {
    profile: '',
    setProfile: 'changes:object',
    get: 'addresses:list',
    saveContact: 'address:text name:text',
    removeContact: 'address:text',
    contacts: 'query:object?',
    find: 'name:text',
  },
  notifications: {
    requestPermissions: '',
    register: 'options:object?',
    unregister: 'options:object?',
    setPreferences: 'preferences:object',
    getPreferences: '',
  },
} as const;

/** The methods that need a wallet, in the namespaces that guests may use. */
const forWallets: Record<string, readonly string[]> = {
  conference: ['create', 'list', 'invite'],
  breakouts: [],
  streaming: ['create', 'list', 'resetKey', 'getViewerToken'],
  media: ['upload'],
};
/** Methods of the other namespaces that send nothing, and never reject. */
const local = ['voicemail.stop', 'notifications.requestPermissions'];

/** Whether a method refuses guests. The server refuses them too, but only after the SDK has opened a microphone or stored a message. */
const needsWallet = (name: string, method: string) =>
  forWallets[name]?.includes(method) ?? !local.includes(`${name}.${method}`);

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const kinds: Record<string, { is: (value: unknown) => boolean; description: string }> = {
  text: { is: (value) => typeof value === 'string', description: 'a string' },
  number: { is: (value) => typeof value === 'number', description: 'a number' },
  flag: { is: (value) => typeof value === 'boolean', description: 'true or false' },
  list: { is: (value) => Array.isArray(value), description: 'an array' },
  object: { is: isPlain, description: 'an object' },
  'object|null': { is: (value) => value === null || isPlain(value), description: 'an object or null' },
  track: {
    is: (value) => isPlain(value) && typeof (value as MediaStreamTrack).kind === 'string',
    description: 'a MediaStreamTrack',
  },
  data: { is: (value) => value !== undefined, description: 'a Uint8Array or a JSON value' },
  'text|object': {
    is: (value) => typeof value === 'string' || isPlain(value),
    description: 'a string or an object',
  },
  file: {
    // A Blob is recognised by its slice(), because a Blob of another frame is not an instance of this frame's Blob.
    is: (value) =>
      value instanceof Uint8Array ||
      (isPlain(value) &&
        (typeof (value as Blob).slice === 'function' ||
          typeof (value as { uri?: unknown }).uri === 'string')),
    description: 'a Blob, a File, a Uint8Array or the address of a file ({ uri })',
  },
};

type Method = (...given: unknown[]) => unknown;

/**
 * Makes the methods of a namespace check their arguments, and refuse guests where they need a wallet. They return a rejected promise
 * instead of throwing.
 */
export function guard(
  name: string,
  namespace: object,
  methods: Record<string, string>,
  isGuest: boolean,
): void {
  const target = namespace as Record<string, Method>;
  for (const [method, spec] of Object.entries(methods)) {
    const run = target[method];
    if (!run) throw new Error(`client.${name} has no ${method}`);
    if (isGuest && needsWallet(name, method)) {
      target[method] = () => Promise.reject(guestsCannot());
      continue;
    }
    const wanted = spec.split(' ').filter(Boolean);
    target[method] = (...given) => {
      const problem = problemOf(`${name}.${method}`, wanted, given);
      return problem ? Promise.reject(problem) : run.apply(namespace, given);
    };
  }
}

function problemOf(method: string, wanted: string[], given: unknown[]): ParleyError | null {
  for (const [at, one] of wanted.entries()) {
    const [field = '', kind = ''] = one.replace('?', '').split(':');
    const value = given[at];
    if (value === undefined && one.endsWith('?')) continue;
    const { is, description } = kinds[kind] as (typeof kinds)[string];
    if (is(value)) continue;
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
    return invalid(field, `${method}: ${field} must be ${description}, not ${found}.`);
  }
  return null;
}

/** The error for an invalid argument. */
export const invalid = (field: string, message: string) =>
  new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path: field, code: 'invalid_type', message }],
  });

/** @throws ParleyError VALIDATION_ERROR if the value is not a valid Date */
export function toIso(field: string, moment: unknown): string {
  if (moment instanceof Date && !Number.isNaN(moment.getTime())) return moment.toISOString();
  throw invalid(field, `${field} must be a valid Date.`);
}
