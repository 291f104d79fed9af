import { installParley } from '@parley/react-native';

installParley();
