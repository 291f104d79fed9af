import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Methods of a locator that read the page's current state without waiting. */
const readings =
  'textContent|innerText|allTextContents|count|isVisible|isHidden|isEnabled|isDisabled|isChecked|inputValue|getAttribute|title';

/** Requests that bypass server/outgoing would also bypass its limits on addresses, time and size. */
const noDirectRequests =
  'Send requests through server/outgoing: fetchNamed for addresses from settings, OutsideClient for addresses from users.';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      'test/native/**/*.{js,cjs}',
      'sdk/react-native/app.plugin.js',
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
    ignores: ['sdk/**/*.test.ts', 'sdk/embed/vite.config.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['node:*'], message: 'The SDK also runs in browsers.' }],
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
        { paths: [{ name: 'zod', message: 'The SDK bundle must not contain zod.' }] },
      ],
    },
  },
  {
    files: ['{platform,server,signaling,media}/**/*.ts'],
    ignores: ['server/console/**', 'server/outgoing/**', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'fetch', message: noDirectRequests }],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.type='MemberExpression'][callee.object.name=/^(https?|globalThis|undici)$/][callee.property.name=/^(request|get|fetch)$/]",
          message: noDirectRequests,
        },
      ],
    },
  },
  {
    files: ['server/console/**/*.tsx', 'sdk/{react,embed,react-native}/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    files: ['sdk/react-native/**/*.{ts,tsx}', 'test/native/app/**'],
    languageOptions: { parserOptions: { project: './sdk/react-native/tsconfig.json' } },
  },
  {
    files: ['test/browser/**', 'test/harness/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `CallExpression[callee.name='expect'] > AwaitExpression > CallExpression[callee.property.name=/^(${readings})$/]`,
          message: 'Pages update asynchronously. Use await expect.poll(() => …).',
        },
      ],
    },
  },
  { files: ['scripts/**', 'test/bench/**', '**/*.mjs'], rules: { 'no-console': 'off' } },
  // TypeScript also checks these files, and it knows which globals are defined in them.
  { files: ['**/*.mjs'], rules: { 'no-undef': 'off' } },
);
