/*
 * The Expo config plugin of @parley/react-native: permissions, background modes, and Android's foreground service. Written in CommonJS,
 * because Expo reads it with `require`.
 */
const { AndroidConfig, withAndroidManifest, withInfoPlist } = require('expo/config-plugins');

const permissions = [
  'android.permission.CAMERA',
  'android.permission.RECORD_AUDIO',
  'android.permission.MODIFY_AUDIO_SETTINGS',
  'android.permission.BLUETOOTH_CONNECT',
  'android.permission.POST_NOTIFICATIONS',
  'android.permission.WAKE_LOCK',
  'android.permission.FOREGROUND_SERVICE',
  'android.permission.FOREGROUND_SERVICE_CAMERA',
  'android.permission.FOREGROUND_SERVICE_MICROPHONE',
  'android.permission.FOREGROUND_SERVICE_PHONE_CALL',
  'android.permission.MANAGE_OWN_CALLS',
];

/** The service of @notifee/react-native, which startOngoing() uses. Its own manifest names it without these types. */
const foregroundService = {
  $: {
    'android:name': 'app.notifee.core.ForegroundService',
    'android:exported': 'false',
    'android:foregroundServiceType': 'camera|microphone',
    'tools:replace': 'android:foregroundServiceType',
  },
};

/** The service of react-native-callkeep, which SystemCalls uses. */
const connectionService = {
  $: {
    'android:name': 'io.wazo.callkeep.VoiceConnectionService',
    'android:exported': 'true',
    'android:label': '@string/app_name',
    'android:permission': 'android.permission.BIND_TELECOM_CONNECTION_SERVICE',
    'android:foregroundServiceType': 'camera|microphone|phoneCall',
  },
  'intent-filter': [{ action: [{ $: { 'android:name': 'android.telecom.ConnectionService' } }] }],
};

/**
 * @param config the app's configuration
 * @param {{ cameraPermission?: string, microphonePermission?: string, callKeep?: boolean, notifee?: boolean }} [options] the questions that
 * an iPhone asks, and which optional packages the app uses: react-native-callkeep (`callKeep`) and @notifee/react-native (`notifee`).
 * Both are true by default
 */
module.exports = function withParley(config, options = {}) {
  const {
    cameraPermission = 'Allow $(PRODUCT_NAME) to use the camera in video calls.',
    microphonePermission = 'Allow $(PRODUCT_NAME) to use the microphone in calls.',
    callKeep = true,
    notifee = true,
  } = options;
  const withPlist = withInfoPlist(config, (ios) => {
    const plist = ios.modResults;
    plist.NSCameraUsageDescription ??= cameraPermission;
    plist.NSMicrophoneUsageDescription ??= microphonePermission;
    const modes = ['audio', 'remote-notification', ...(callKeep ? ['voip'] : [])];
    plist.UIBackgroundModes = [...new Set([...(plist.UIBackgroundModes ?? []), ...modes])];
    return ios;
  });
  const withPermissions = AndroidConfig.Permissions.withPermissions(withPlist, permissions);
  return withAndroidManifest(withPermissions, (android) => {
    const { manifest } = android.modResults;
    manifest.$['xmlns:tools'] = 'http://schemas.android.com/tools';
    const application = AndroidConfig.Manifest.getMainApplicationOrThrow(android.modResults);
    const wanted = [...(notifee ? [foregroundService] : []), ...(callKeep ? [connectionService] : [])];
    const names = new Set(wanted.map(({ $ }) => $['android:name']));
    const others = (application.service ?? []).filter(({ $ }) => !names.has($['android:name']));
    application.service = [...others, ...wanted];
    return android;
  });
};
