import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'server',
          include: ['contract/src/**/*.test.ts', 'server/src/**/*.test.ts', 'world/src/**/*.test.ts'],
          globalSetup: ['server/src/test-database.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
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
        test: { name: 'sign-in', include: ['sign-in/src/**/*.test.ts'], testTimeout: 20_000 },
      },
    ],
  },
})
