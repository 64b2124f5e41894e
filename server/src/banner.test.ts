import { existsSync } from 'node:fs'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { showWelcome } from './banner.ts'
import { loadConfig } from './config.ts'

function logWelcome(env: Record<string, string>): string[] {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env })
  showWelcome({ config, log, password: undefined, databaseDirectory: undefined, seconds: 1 })
  return lines
}

test('a start with an https PUBLIC_URL but without TRUSTED_PROXIES logs a warning', () => {
  const warning = expect.stringContaining('TRUSTED_PROXIES is not set')
  expect(logWelcome({ PUBLIC_URL: 'https://id.example' })).toEqual([warning, expect.stringContaining('ready')])
  expect(logWelcome({ PUBLIC_URL: 'https://id.example', TRUSTED_PROXIES: '10.0.0.0/8' })).toHaveLength(1)
  expect(logWelcome({})).toHaveLength(1)
})

test('a start on this machine prints links to try next', () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const log = pino({ level: 'silent' })
  showWelcome({
    config: loadConfig({ PORT: '4321' }),
    log,
    password: undefined,
    databaseDirectory: undefined,
    seconds: 1,
  })
  const [, steps = ''] = String(print.mock.calls[0]?.[0]).split('Try next')
  const links = steps.match(/(?:http|docs)\S+/g) ?? []
  expect(links).toEqual([
    'http://localhost:4321/app/developer/tokens',
    'docs/guide/your-first-client.md',
    'http://localhost:4321/app/admin/users/invitations/create',
    'http://localhost:4321/app/admin/tools/permissions',
  ])
  expect(existsSync(new URL(`../../${links[1]}`, import.meta.url))).toBe(true)
})
