/*
 * Prints what the Expo config plugin of @parley/react-native makes of an app, as `expo prebuild` reads it. Expo itself is not installed
 * here: its subpath expo/config-plugins is the package @expo/config-plugins.
 */
const Module = require('node:module');
const path = require('node:path');

const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...more) =>
  resolve(name === 'expo/config-plugins' ? require.resolve('@expo/config-plugins') : name, ...more);

const { compileModsAsync } = require('@expo/config-plugins');
const withParley = require(path.join(__dirname, '../../sdk/react-native/app.plugin.js'));

const infoPlist = { UIBackgroundModes: ['fetch'], NSMicrophoneUsageDescription: 'We need to hear you.' };
const app = { name: 'App', slug: 'app', ios: { infoPlist } };
// A second time changes nothing: Expo keeps the changes of an earlier run.
const config = withParley(withParley(app));
const options = {
  projectRoot: __dirname,
  introspect: true,
  platforms: ['ios', 'android'],
  assertMissingModProviders: false,
};
compileModsAsync(config, options).then(({ _internal }) => {
  const { manifest } = _internal.modResults.android.manifest;
  const nameOf = ({ $ }) => $['android:name'].replace('android.permission.', '');
  const services = manifest.application[0].service.map(({ $ }) => [
    $['android:name'],
    $['android:foregroundServiceType'],
  ]);
  process.stdout.write(
    JSON.stringify({
      infoPlist: _internal.modResults.ios.infoPlist,
      permissions: manifest['uses-permission'].map(nameOf),
      services: Object.fromEntries(services),
    }),
  );
});
