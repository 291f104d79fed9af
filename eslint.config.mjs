import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** What a locator says of this very moment. */
const readings =
  'textContent|innerText|allTextContents|count|isVisible|isHidden|isEnabled|isDisabled|isChecked|inputValue|getAttribute|title';

/** A library or a line that connects by itself skips the checks of addresses, time and size. */
const onlyWayOut =
  'Requests leave the process through server/outgoing: fetchNamed for addresses of the settings, OutsideClient for addresses of strangers.';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'node_modules/**',
      'data/**',
      'platform/database/migrations/**',
      'test/output/**',
    ],
  },
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    files: ['sdk/**'],
    ignores: ['sdk/**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['node:*'], message: 'The SDK runs in browsers too.' }],
        },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer'],
    },
  },
  {
    files: ['sdk/src/**'],
    ignores: ['sdk/src/**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [{ name: 'zod', message: 'The SDK bundle carries no zod.' }] },
      ],
    },
  },
  {
    files: ['{platform,server,signaling,media}/**/*.ts'],
    ignores: ['server/console/**', 'server/outgoing/**', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'fetch', message: onlyWayOut }],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.type='MemberExpression'][callee.object.name=/^(https?|globalThis|undici)$/][callee.property.name=/^(request|get|fetch)$/]",
          message: onlyWayOut,
        },
      ],
    },
  },
  { files: ['server/console/**/*.tsx'], ...reactHooks.configs.flat['recommended-latest'] },
  {
    files: ['test/browser/**', 'test/harness/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `CallExpression[callee.name='expect'] > AwaitExpression > CallExpression[callee.property.name=/^(${readings})$/]`,
          message: 'A page shows what was done a moment later: await expect.poll(() => …).',
        },
      ],
    },
  },
  { files: ['scripts/**', 'test/bench/**', '**/*.mjs'], rules: { 'no-console': 'off' } },
  // TypeScript checks these too, and knows the globals.
  { files: ['**/*.mjs'], rules: { 'no-undef': 'off' } },
);
