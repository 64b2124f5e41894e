import { pino } from 'pino'
import { expect, test } from 'vitest'
import { showWelcome } from './banner.ts'
import { loadConfig } from './config.ts'

function logWelcome(env: Record<string, string>): string[] {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env })
  showWelcome({ config, log, password: undefined, home: undefined, seconds: 1 })
  return lines
}

test('a start with an https PUBLIC_URL and without TRUSTED_PROXIES logs a warning', () => {
  const warning = expect.stringContaining('TRUSTED_PROXIES is not set')
  expect(logWelcome({ PUBLIC_URL: 'https://id.example' })).toEqual([warning, expect.stringContaining('ready')])
  expect(logWelcome({ PUBLIC_URL: 'https://id.example', TRUSTED_PROXIES: '10.0.0.0/8' })).toHaveLength(1)
  expect(logWelcome({})).toHaveLength(1)
})
