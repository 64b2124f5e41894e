import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: '.',
  globalSetup: './passport.ts',
  fullyParallel: true,
  // For two cores: the third works while the others wait.
  workers: 3,
  // Nothing should need the second try: a test that does is reported as flaky. Find out why.
  retries: 1,
  // What succeeds does not wait for these; a busy machine needs them.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  outputDir: '../test-results',
  use: {
    viewport: { width: 1440, height: 900 },
    // Recording costs a fifth of the time, and what fails is tried once more.
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
