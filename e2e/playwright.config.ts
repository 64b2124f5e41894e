import { useMemoryDirectory } from '@passport/world/memory-directory'
import { requireNode } from '@passport/world/node-version'
import { defineConfig } from '@playwright/test'

requireNode('playwright')
useMemoryDirectory()

export default defineConfig({
  testDir: '.',
  // `npm run interop` installs the libraries of these applications.
  testIgnore: process.env['INTEROP'] === undefined ? 'interop/**' : [],
  globalSetup: './passport.ts',
  fullyParallel: true,
  // For two cores: the third worker runs while the others wait.
  workers: 3,
  // No test should need the retry: a test that does is reported as flaky. Find out why.
  retries: 1,
  // Passing tests do not wait for these limits; a busy machine needs them.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  outputDir: '../test-results',
  use: {
    viewport: { width: 1440, height: 900 },
    // Recording costs a fifth of the time, and a failed test is retried.
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--in-process-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
