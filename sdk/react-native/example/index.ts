// First, because some packages look for `crypto` when they are loaded.
import './install.ts';
import { AppRegistry } from 'react-native';
import { App } from './App.tsx';

AppRegistry.registerComponent('main', () => App);
