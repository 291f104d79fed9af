/*
 * Runs second in Hermes. Defines the native modules: functions that must answer at once are here, the methods named in `$node` are carried
 * out by Node (`Phone.ts`).
 */
(function (global) {
  const send = global.$send;
  const nothing = () => {};
  const events = { addListener: nothing, removeListeners: nothing };
  const exception = ({ message, stack }) => {
    const at = (stack || []).slice(0, 12).map(({ methodName, lineNumber }) => `${methodName}:${lineNumber}`);
    send({ uncaught: `${message}\n${at.join('\n')}` });
  };
  const screen = { width: 1080, height: 2340, scale: 2.75, fontScale: 1, densityDpi: 440 };

  // WebRTC. Ids are given here, because these calls answer at once; Node makes the objects in the same order.
  let transceivers = 0;
  const rtcp = { cname: '', reducedSize: false };
  const kindOf = ({ type, trackId }) => type || trackId.slice(0, 5);
  const addTransceiver = (pcId, options) => {
    const order = ++transceivers;
    const id = `${pcId}/${order}`;
    const receiving = `${kindOf(options)}-${id}`;
    void global.$toNode('WebRTCModule', 'addTransceiver', [pcId, id, receiving, options]);
    const encodings = (options.init.sendEncodings || []).map((encoding) => ({ active: true, ...encoding }));
    const track = {
      id: receiving,
      kind: kindOf(options),
      remote: true,
      readyState: 'live',
      enabled: true,
      constraints: {},
      settings: {},
      peerConnectionId: pcId,
    };
    return {
      transceiverOrder: order,
      transceiver: {
        id,
        peerConnectionId: pcId,
        isStopped: false,
        direction: options.init.direction || 'sendrecv',
        currentDirection: null,
        mid: null,
        sender: {
          id,
          peerConnectionId: pcId,
          rtpParameters: { transactionId: '', codecs: [], headerExtensions: [], rtcp, encodings },
        },
        receiver: {
          id: receiving,
          peerConnectionId: pcId,
          rtpParameters: { codecs: [], headerExtensions: [], rtcp },
          track,
        },
      },
    };
  };

  const random = () => {
    if (global.$random.length === 0) throw new Error('Node has to send more random bytes.');
    return global.$random.pop();
  };

  global.$modules = {
    // React Native itself
    NativeReactNativeFeatureFlagsCxx: {},
    NativeMicrotasksCxx: { queueMicrotask: (run) => void Promise.resolve().then(run) },
    ExceptionsManager: {
      reportException: exception,
      reportFatalException: (message, stack) => exception({ message, stack }),
      reportSoftException: (message, stack) => exception({ message, stack }),
      dismissRedbox: nothing,
    },
    SourceCode: { getConstants: () => ({ scriptURL: 'file:///bundle' }) },
    DeviceInfo: {
      getConstants: () => ({ Dimensions: { windowPhysicalPixels: screen, screenPhysicalPixels: screen } }),
    },
    PlatformConstants: {
      getConstants: () => ({
        isTesting: false,
        reactNativeVersion: { major: 0, minor: 85, patch: 3, prerelease: null },
        Version: 35,
        Release: '15',
        Serial: '',
        Fingerprint: '',
        Model: 'test',
        Brand: 'test',
        Manufacturer: 'test',
        uiMode: 'normal',
      }),
    },
    AppState: {
      getConstants: () => ({ initialAppState: 'active' }),
      getCurrentAppState: (tell) => tell({ app_state: 'active' }),
      ...events,
    },
    PermissionsAndroid: { $node: ['checkPermission', 'requestPermission', 'requestMultiplePermissions'] },
    Networking: { ...events, $node: ['sendRequest', 'abortRequest', 'clearCookies'] },
    WebSocketModule: { ...events, $node: ['connect', 'send', 'sendBinary', 'ping', 'close'] },
    BlobModule: {
      getConstants: () => ({ BLOB_URI_SCHEME: 'content', BLOB_URI_HOST: 'blobs' }),
      addNetworkingHandler: nothing,
      addWebSocketHandler: nothing,
      removeWebSocketHandler: nothing,
      $node: ['createFromParts', 'release', 'sendOverSocket'],
    },
    FileReaderModule: { $node: ['readAsText', 'readAsDataURL'] },
    // Packages
    RNGetRandomValues: {
      getRandomBase64: (length) => {
        const bytes = Array.from({ length }, random);
        return base64(bytes);
      },
    },
    RNCAsyncStorage: { $node: ['multiGet', 'multiSet', 'multiRemove'] },
    RNCNetInfo: { ...events, $node: ['getCurrentState', 'configure'] },
    RNCallKeep: {
      ...events,
      $node: [
        'answerIncomingCall',
        'backToForeground',
        'checkPhoneAccountPermission',
        'clearInitialEvents',
        'displayIncomingCall',
        'endCall',
        'reportEndCallWithUUID',
        'setCurrentCallActive',
        'setup',
        'startCall',
      ],
    },
    RNVoipPushNotificationManager: events,
    InCallManager: { ...events, $node: ['start', 'stop', 'setForceSpeakerphoneOn'] },
    NotifeeApiModule: { ...events, $node: ['createChannel', 'displayNotification', 'stopForegroundService'] },
    WebRTCModule: {
      ...events,
      peerConnectionInit: (configuration, pcId) => {
        void global.$toNode('WebRTCModule', 'create', [pcId, configuration]);
        return true;
      },
      peerConnectionAddTransceiver: addTransceiver,
      $node: [
        'checkPermission',
        'requestPermission',
        'enumerateDevices',
        'getUserMedia',
        'mediaStreamCreate',
        'mediaStreamAddTrack',
        'mediaStreamRemoveTrack',
        'mediaStreamRelease',
        'mediaStreamTrackRelease',
        'mediaStreamTrackSetEnabled',
        'peerConnectionAddICECandidate',
        'peerConnectionClose',
        'peerConnectionCreateAnswer',
        'peerConnectionCreateOffer',
        'peerConnectionDispose',
        'peerConnectionGetStats',
        'peerConnectionRestartIce',
        'peerConnectionSetConfiguration',
        'peerConnectionSetLocalDescription',
        'peerConnectionSetRemoteDescription',
        'receiverGetStats',
        'senderGetStats',
        'senderReplaceTrack',
        'senderSetParameters',
        'transceiverSetDirection',
        'transceiverStop',
      ],
    },
  };

  // Hermes has these two functions since React Native 0.74.
  global.btoa = (text) => base64([...text].map((character) => character.charCodeAt(0)));
  global.atob = (text) => {
    const digits = [...text.replace(/=+$/, '')].map((letter) => letters.indexOf(letter));
    if (digits.includes(-1)) throw new Error('This text is not base64.');
    const bits = digits.map((digit) => digit.toString(2).padStart(6, '0')).join('');
    return (bits.match(/.{8}/g) || []).map((byte) => String.fromCharCode(parseInt(byte, 2))).join('');
  };

  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  function base64(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += 3) {
      const [one, two, three] = [bytes[at], bytes[at + 1], bytes[at + 2]];
      const bits = (one << 16) | ((two || 0) << 8) | (three || 0);
      text += letters[bits >> 18] + letters[(bits >> 12) & 63];
      text +=
        (two === undefined ? '=' : letters[(bits >> 6) & 63]) +
        (three === undefined ? '=' : letters[bits & 63]);
    }
    return text;
  }
})(globalThis);
