import { defineConfig } from 'vitest/config'

/** What comes soon is waited for so many milliseconds, on a busy machine too. */
const expect = { poll: { timeout: 10_000 } }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'server',
          expect,
          include: ['contract/src/**/*.test.ts', 'server/src/**/*.test.ts', 'world/src/**/*.test.ts'],
          globalSetup: ['server/src/test-database.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          expect,
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          setupFiles: ['web/src/test-patience.ts'],
          testTimeout: 30_000,
          // Testing Library looks for a global afterEach to take its renderings away again.
          globals: true,
        },
      },
      {
        test: {
          name: 'permissions',
          include: ['permissions/src/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: 'sign-in', expect, include: ['sign-in/src/**/*.test.ts'], testTimeout: 20_000 },
      },
    ],
  },
})
