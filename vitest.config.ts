import { defineConfig } from 'vitest/config'
import { useMemoryDirectory } from './world/src/memory-directory.ts'
import { requireNode } from './world/src/node-version.ts'

requireNode('vitest')
useMemoryDirectory()

/** Waits of `expect.poll` and `vi.waitFor` end early on success; a busy machine needs the rest. */
const expect = { poll: { timeout: 30_000 } }

/** Kills, cuts and damage take long: `npm run faults` runs these, `npm test` does not. */
const faults = 'server/src/**/*.faults.test.ts'

/** Files that run in the same worker share its modules: the service is imported three times, not 107 times. */
const shared = { isolate: false, expect, exclude: [faults] }

const server = {
  globalSetup: ['server/src/test-database.ts'],
  setupFiles: ['vitest.setup.ts', 'server/src/test-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    // For two cores: a third worker runs while the others wait for the database. The default would be one.
    maxWorkers: 3,
    // The driver drops this promise when a new connection is lost. In the server, `lost-connection.ts` handles it.
    onUnhandledError: ({ code, query }) =>
      !String(query).includes('from pg_catalog.pg_type') && code !== 'CONNECTION_DESTROYED',
    projects: [
      {
        test: {
          ...shared,
          ...server,
          name: 'server',
          include: ['contract/src/**/*.test.ts', 'server/src/**/*.test.ts', 'world/src/**/*.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // Inlined, so that `vi.resetModules` in the setup file resets the toasts that the library keeps.
          server: { deps: { inline: ['react-toastify'] } },
          setupFiles: ['vitest.setup.ts', 'web/src/test-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'permissions',
          include: ['permissions/{src,conformance}/**/*.test.ts'],
          setupFiles: ['vitest.setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'sign-in',
          include: ['sign-in/src/**/*.test.ts'],
          setupFiles: ['vitest.setup.ts'],
          testTimeout: 60_000,
        },
      },
      // One after the other: one of them takes a library of PostgreSQL away for a moment. They measure times, so a test
      // that fails beside other work on the machine gets a second attempt, including in `npm run faults`.
      { test: { ...server, expect, name: 'faults', include: [faults], fileParallelism: false, retry: 1 } },
    ],
  },
})
