import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const pine: MantineColorsTuple = [
  '#edf6f1',
  '#d9eae1',
  '#b4d5c5',
  '#8cc1a8',
  '#6bb192',
  '#57a683',
  '#40906d',
  '#2f7a5a',
  '#226247',
  '#164b35',
];

const brick: MantineColorsTuple = [
  '#fdf0ec',
  '#f8dcd4',
  '#f0b6a7',
  '#e78e77',
  '#df6c50',
  '#d95b3d',
  '#c9472a',
  '#b53c22',
  '#9a321d',
  '#7d2617',
];

const amber: MantineColorsTuple = [
  '#fdf5e8',
  '#f8e7cd',
  '#efcd9b',
  '#e6b165',
  '#df9b3d',
  '#d58a28',
  '#b8731b',
  '#925913',
  '#74460f',
  '#56330a',
];

/** Warm greys for light mode. */
const gray: MantineColorsTuple = [
  '#faf8f4',
  '#f3f0e8',
  '#e8e3d8',
  '#dad3c5',
  '#c2baa9',
  '#9c9484',
  '#676154',
  '#544f44',
  '#3c3931',
  '#25231e',
];

/** Greenish greys for dark mode. */
const dark: MantineColorsTuple = [
  '#e4ebe7',
  '#c3cec8',
  '#9fada6',
  '#6f7e77',
  '#34413b',
  '#2a3530',
  '#1c2420',
  '#111714',
  '#0d1210',
  '#090d0b',
];

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  colors: { pine, brick, amber, gray, dark },
  black: '#1c211e',
  defaultRadius: 'md',
  radius: { xs: '6px', sm: '8px', md: '12px', lg: '18px', xl: '28px' },
  fontFamily: 'ui-sans-serif, -apple-system, "Segoe UI", "Helvetica Neue", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace',
  headings: {
    fontFamily:
      '"Iowan Old Style", "Palatino Linotype", Palatino, "P052", Georgia, "Liberation Serif", ui-serif, serif',
    fontWeight: '600',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
});

/** Replaces Mantine's default tints, which are almost black on these cards. */
const tinted = (name: string, rgb: string, text: string) => ({
  [`--mantine-color-${name}-light`]: `rgb(${rgb} / 18%)`,
  [`--mantine-color-${name}-light-hover`]: `rgb(${rgb} / 26%)`,
  [`--mantine-color-${name}-light-color`]: text,
});

/** The colours of the page and of cards, which are a little lighter than the page. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f4ee',
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': '#7d7668',
    '--mantine-color-default-border': gray[3],
    '--mantine-color-error': brick[7],
    '--mantine-color-brick-light': '#fbebe6',
    '--mantine-color-brick-light-hover': brick[1],
    '--mantine-color-brick-light-color': brick[8],
    '--parley-card': '#fffdf9',
    '--parley-edge': gray[2],
    '--parley-sunk': '#f3efe6',
    '--parley-accent': pine[8],
    '--parley-bar': pine[6],
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#84928b',
    '--mantine-color-default-border': dark[4],
    '--mantine-color-error': brick[3],
    ...tinted('pine', '107 177 146', pine[2]),
    ...tinted('brick', '223 108 80', brick[2]),
    ...tinted('amber', '223 155 61', amber[2]),
    '--parley-card': '#19201d',
    '--parley-edge': '#29332e',
    '--parley-sunk': '#141a17',
    '--parley-accent': pine[3],
    '--parley-bar': pine[4],
  },
});
